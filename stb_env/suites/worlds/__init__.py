"""Generated worlds: organisations with data, tools and rules of their own, made from a kit and a seed.

A folder imports only from those that stand below it::

    commands  suite       the command ``stb-env worlds``; the declaration of the suite
    checks  env  stats    checks of tasks, the environment, figures of many worlds
    authoring/            checks a new kit, and begins one
    tasks/                makes the task of an id, under dials; splits and groups
    words/  judge         goals in words; the exact verifier
    drawing/              draws goals toward a level: clauses, shapes, costs, pairs, details left open
    oracle/               solves goals through tools alone: reads, finds, plays, asks, watches
    world                 a world as a backend, which answers every call
    episode/              what happens beside calls: faults, events, the user
    services/             tools: a style for each service, the codec, archetypes
    goals/                goals as typed data, their evaluation over tables, mutants, refusals
    data/                 rows of a world, and the facts that follow from them
    schema/               what a kit declares; ``kits/`` has those that come with the package
"""
