"""What comparisons can say: with pairs of known distance, how many they take, and how much each is worth."""
