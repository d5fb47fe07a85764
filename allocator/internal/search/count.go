// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package search

// The count bound (P1) is the loop in infeasible and look. A request cannot be satisfied if each of its alternatives
// has fewer free devices than it needs.
//
// Proof: The devices of a request are different from each other (positions ascend), suit it, and are free. Later
// choices only remove free devices. So every solution needs at least as many free devices as are counted. The bound
// is checked for all later requests before the next device is chosen.

// limit is the limit bound (P7). The devices of a claim and the minimum number of devices of its remaining requests
// must not exceed the maximum of a claim.
//
// Proof: Every solution holds at least the smallest number of devices for each request. The number of devices of a
// claim never decreases on the way to a solution.
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
