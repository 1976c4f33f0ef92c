"""Trip Booking: a program that fills in a search for tickets, hotel rooms or both."""
