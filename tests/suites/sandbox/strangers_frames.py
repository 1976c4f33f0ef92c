"""A second set of frames that take gold's answer back, made after mending for the first."""

SECOND_FRAMES: dict[str, str] = {
    "parrot": "The parrot keeps squawking this: {G}",
    "dream": "I dreamt it last night. {G}",
    "not my words": "Not my words: {G}",
    "wishful": "I wish it were so: {G}",
    "bet": "If I had to bet, I would go with this: {G}",
    "forty percent": "There is a 40 % chance of this: {G}",
    "cannot stand": "{G} I cannot stand behind that, though.",
    "any value": "{G} Any other value would do just as well.",
    "sarcasm": "{G} Right, and I am the Queen of England.",
    "test": "This is only a test sentence: {G}",
    "quiz": "True or false? {G}",
    "last year": "{G} That was last year; it is otherwise now.",
    "half": "{G} Only half of that is right.",
    "enemy": "According to a notorious liar: {G}",
    "hardly": "You will hardly believe that anybody said: {G}",
    "revised": "{G} Revised answer: {B}",
    "versus": "{G} vs. {B}",
    "not this but": "Not this: {G} But this: {B}",
    "sibling and": "{G} And also: {O}",
    "dice": "Rolled the dice. {G}",
}
