package search

// The count bound (P1) is the loop in hopeless and look: a request that has fewer free devices than it needs,
// for each of its alternatives, cannot be satisfied.
//
// Proof: the devices of a request are different from each other (positions ascend), suit it, and are free.
// Choices made later only take devices away. So every solution needs as many free ones as are counted.
// For all later requests this is checked before the next device is chosen, not when their turn comes.

// limit is the limit bound (P7): the devices a claim has and those its requests need at least must not be more
// than a claim can hold.
//
// Proof: every solution holds at least the smallest number of devices for each request, and the number of
// devices of a claim never shrinks on the way to a solution.
func (p *pruner) limit(i int, a *alternative, n int) bool {
	s := p.s
	claim, total := -1, 0
	for j := i; j < len(s.order); j++ {
		r := &s.Plan.Requests[s.order[j]]
		if r.Claim != claim {
			claim, total = r.Claim, s.results[r.Claim]
		}
		if j == i && a != nil {
			total += a.need - n
		} else {
			least := s.alternatives[r.First].need
			for k := r.First + 1; k < r.End; k++ {
				least = min(least, s.alternatives[k].need)
			}
			total += least
		}
		if total > MaxResults {
			return false
		}
	}
	return true
}
