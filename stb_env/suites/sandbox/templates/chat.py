"""Tasks about the club's chat."""

from __future__ import annotations

from stb_env.backend.world import Row
from stb_env.suites.sandbox import facts
from stb_env.suites.sandbox.content.mails import detail_in
from stb_env.suites.sandbox.template import Answer, Draw, Plan, Solution, Steps, template
from stb_env.suites.sandbox.templates.mail import detail_fact
from stb_env.suites.sandbox.tools import huddle

_MESSAGES = (
    "Tea is on at four.", "The van is full.", "Who took the long rope?", "Minutes follow tonight.",
    "Bring gloves on Saturday.", "The hut key is with me.", "We start an hour later.", "New badges are here.",
    "Please return the projector.", "The gate sticks again.", "Thanks for the soup!", "Two seats are left.",
)  # fmt: skip


def _posts(draw: Draw) -> list[Row]:
    return list(draw.home().table("posts").values())


def _written(channel: str, message: str) -> Steps[None]:
    """Write a post unless it is there."""
    rows = (yield huddle.channel_posts(channel=channel))["results"]
    if not any(row["author"] == "me" and row["text"] == message for row in rows):
        yield huddle.write_post(channel=channel, message=message)


@template(huddle.TOOL, calls=1)
def chat_detail(draw: Draw) -> Plan:
    """A detail of somebody's post."""
    post = draw.pick(_posts(draw))
    author, channel, (kind, _) = post["author"], post["channel"], detail_in(post["text"])

    def solve() -> Solution:
        page = yield huddle.channel_posts(channel=channel, author=author)
        _, detail = detail_in(page["results"][0]["text"])
        return Answer.of(f"It is {detail}.", detail_fact(kind, detail))

    return Plan.of(
        f"What is the {kind.detail} that {author} posted in #{channel}?",
        f"{author} wrote something in our channel {channel}. Tell me the {kind.detail} from it.",
        f"Look through {channel} on Huddle for the post of {author} and give me the {kind.detail}.",
        solve=solve,
    )


@template(huddle.TOOL, calls=2, writes=("posts",))
def write_post(draw: Draw) -> Plan:
    """Write a post in a channel."""
    draw.home()
    channel, message = draw.pick(huddle.CHANNELS), draw.pick(_MESSAGES)

    def solve() -> Solution:
        yield from _written(channel, message)
        return Answer.of(f"It is in #{channel}.")

    return Plan.of(
        f'Post "{message}" in #{channel}.',
        f'Tell the channel {channel}: "{message}"',
        f'Write "{message}" in our Huddle channel {channel}.',
        solve=solve,
    )


@template(huddle.TOOL, calls=3, writes=("posts",))
def pin_and_react(draw: Draw) -> Plan:
    """Pin a post and react to it."""
    post, reaction = draw.pick(_posts(draw)), draw.pick(huddle.REACTIONS)
    author, channel = post["author"], post["channel"]

    def solve() -> Solution:
        key = (yield huddle.channel_posts(channel=channel, author=author))["results"][0]["post_id"]
        yield huddle.pin_post(post_id=key)
        yield huddle.add_reaction(post_id=key, reaction=reaction)
        return Answer.of(f"The post of {author} is pinned.")

    return Plan.of(
        f'Pin what {author} posted in #{channel} and add a "{reaction}" to it.',
        f"{author}'s post in {channel} deserves a {reaction} from me. Pin it there as well.",
        f'In the channel {channel}, react with "{reaction}" to the post by {author}, and pin that post.',
        solve=solve,
    )


@template(huddle.TOOL, calls=3, writes=("posts",))
def post_in_extreme_channel(draw: Draw) -> Plan:
    """Write a post in the channel with the most or the fewest members."""
    draw.home()
    wish, message = draw.pick(("most", "fewest")), draw.pick(_MESSAGES)

    def solve() -> Solution:
        rows = (yield huddle.list_channels())["channels"]
        best = (max if wish == "most" else min)(rows, key=lambda row: row["members"])["name"]
        yield from _written(best, message)
        return Answer.of(f"It is in {best} now.", facts.choice("channel", best, huddle.CHANNELS))

    return Plan.of(
        f'Post "{message}" in the Huddle channel with the {wish} members. Which channel is that?',
        f'Which of my channels has the {wish} members? Write "{message}" there.',
        f'Find the channel that has the {wish} members and write "{message}" there. Name the channel.',
        solve=solve,
    )
