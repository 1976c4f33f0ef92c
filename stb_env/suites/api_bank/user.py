"""The users of API-Bank's dialogues, as they were recorded."""

from __future__ import annotations

from stb_env.backend.user import Said
from stb_env.core.request import Slow
from stb_env.tasks import Task

NOTHING_TO_ADD = "I have nothing to add."


class ScriptedUser:
    """Says what the user of the dialogue said, one utterance for each text of the agent.

    The user reads nothing. Whatever the agent writes, the next recorded utterance is the answer. After the
    last one the user has nothing to add: a Finish then ends the episode, and plain text ends it the second
    time, so that an agent that asks a question can still make its calls.

    Examples:
        >>> from stb_env.core.request import drive
        >>> from stb_env.tools import Tool
        >>> today = Tool("GetToday", "", {})
        >>> turns = [{"user": "Hi.", "reply": "Hello."}, {"user": "Which day is it?", "reply": "Friday."}]
        >>> task = Task("1", "Hi.", (today,), record={"turns": turns})
        >>> user = ScriptedUser()
        >>> first = drive(user.reply(task, user.start(task, 0), "Hello. What is your name?"))
        >>> second = drive(user.reply(task, first.state, "Do you mean today?"))
        >>> first.text, second.text, drive(user.reply(task, second.state, "Friday.")).text
        ('Which day is it?', 'I have nothing to add.', None)
    """

    @property
    def fingerprint(self) -> dict[str, object]:
        """Only the tasks and the rules of this version decide what is said."""
        return {"user": "scripted", "version": 4}

    def start(self, _task: Task, _seed: int) -> int:
        """Return how many utterances are said: the query is one."""
        return 1

    def reply(self, task: Task, state: int, _text: str) -> Slow[Said]:
        """Say the next utterance; yields nothing."""
        yield from ()
        turns = task.record["turns"]
        if state < len(turns):
            return Said(turns[state]["user"], state + 1)
        return Said(NOTHING_TO_ADD if state == len(turns) else None, state + 1, done=True)
