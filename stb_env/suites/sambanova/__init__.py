"""SambaNova's ToolBench (Xu et al., 2023): eight tasks whose answer is a program or a sequence of actions."""
