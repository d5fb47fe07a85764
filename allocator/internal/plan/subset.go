// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package plan

// RequestName returns "claim: request", for messages about several claims.
func (p *Plan) RequestName(request int) string {
	r := &p.Requests[request]
	return ClaimName(p.Claims[r.Claim].API) + ": " + r.API.Name
}

// Subset returns the plan without some requests and alternatives. Constraints apply to the remaining ones. The plan
// must have no errors. origin contains, for each alternative of the subset, its index in the plan.
func (p *Plan) Subset(keep func(alternative int) bool) (subset *Plan, origin []int) {
	subset = &Plan{Static: p.Static}
	for c := range p.Claims {
		claim := p.Claims[c]
		claim.First = len(subset.Requests)
		for r := p.Claims[c].First; r < p.Claims[c].End; r++ {
			request := p.Requests[r]
			request.First = len(subset.Alternatives)
			for i := p.Requests[r].First; i < p.Requests[r].End; i++ {
				if !keep(i) {
					continue
				}
				alternative := p.Alternatives[i]
				alternative.Request = len(subset.Requests)
				subset.Alternatives = append(subset.Alternatives, alternative)
				origin = append(origin, i)
			}
			if request.End = len(subset.Alternatives); request.End > request.First {
				subset.Requests = append(subset.Requests, request)
			}
		}
		claim.End = len(subset.Requests)
		subset.Claims = append(subset.Claims, claim)
	}
	return subset, origin
}
