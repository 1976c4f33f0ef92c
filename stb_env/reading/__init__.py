"""Reading free text: what a speaker says, and what he does with what he says."""
