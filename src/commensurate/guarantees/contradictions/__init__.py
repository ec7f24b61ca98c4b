"""Do answers contradict M1 and M2, by more than their errors explain?"""
