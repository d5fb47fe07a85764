// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package fakecluster

// PrioritizedListMistakes are the faults of the scheduler with prioritized lists.
type PrioritizedListMistakes struct {
	// PrefersLast: the scheduler tries the last subrequest first.
	PrefersLast bool
	// SortsAlternatives: the scheduler tries the subrequests in alphabetical
	// order.
	SortsAlternatives bool
	// NeverFallsBack: the scheduler tries only the first subrequest.
	NeverFallsBack bool
	// IgnoresCounts: the scheduler allocates one device for a subrequest
	// whatever its count is.
	IgnoresCounts bool
	// NamesRequests: allocation results name the request without the
	// subrequest.
	NamesRequests bool
	// NamesFirst: allocation results always name the first subrequest.
	NamesFirst bool
	// ConstrainsRequestsOnly: a constraint that names a request does not apply
	// to its subrequests.
	ConstrainsRequestsOnly bool
	// ConstrainsNoAlternative: a constraint that names a subrequest does not
	// apply to it.
	ConstrainsNoAlternative bool
	// ConstrainsAllAlternatives: a constraint that names a subrequest applies
	// to all subrequests of the request.
	ConstrainsAllAlternatives bool
	// PrefersLater: later requests of a claim choose first.
	PrefersLater bool
	// NeverYields: a request keeps the first subrequest that has devices, even
	// if a later request has none then.
	NeverYields bool
	// SumsRanks: the scheduler minimizes the sum of the positions of the chosen
	// subrequests in their lists, regardless of the order of the requests.
	SumsRanks bool
	// LosesScopedConfig: the configuration for a subrequest is lost.
	LosesScopedConfig bool
	// KeepsAllConfig: the configuration for subrequests that were not allocated
	// is kept. This covers configuration of the claim and of the DeviceClass.
	KeepsAllConfig bool
	// WidensConfig: configuration applies to all requests, whichever it names.
	WidensConfig bool
}

func (m PrioritizedListMistakes) addTo(all *Mistakes) { all.PrioritizedListMistakes = m }
