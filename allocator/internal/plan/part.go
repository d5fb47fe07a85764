package plan

// RequestName returns "claim: request", for messages about several claims.
func (p *Plan) RequestName(request int) string {
	r := &p.Requests[request]
	return ClaimName(p.Claims[r.Claim].API) + ": " + r.API.Name
}

// Part returns the plan without some requests and alternatives. Constraints apply to the remaining ones. The plan
// must have no errors. origin contains, for each alternative of the part, its index in the plan.
func (p *Plan) Part(keep func(alternative int) bool) (part *Plan, origin []int) {
	part = &Plan{Static: p.Static}
	for c := range p.Claims {
		claim := p.Claims[c]
		claim.First = len(part.Requests)
		for r := p.Claims[c].First; r < p.Claims[c].End; r++ {
			request := p.Requests[r]
			request.First = len(part.Alternatives)
			for i := p.Requests[r].First; i < p.Requests[r].End; i++ {
				if !keep(i) {
					continue
				}
				alternative := p.Alternatives[i]
				alternative.Request = len(part.Requests)
				part.Alternatives = append(part.Alternatives, alternative)
				origin = append(origin, i)
			}
			if request.End = len(part.Alternatives); request.End > request.First {
				part.Requests = append(part.Requests, request)
			}
		}
		claim.End = len(part.Requests)
		part.Claims = append(part.Claims, claim)
	}
	return part, origin
}
