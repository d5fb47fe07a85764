package fakecluster

import (
	"slices"
	"strings"

	resourceapi "k8s.io/api/resource/v1"
)

// wanted is a request without subrequests, or a subrequest.
type wanted struct {
	request string
	// name is the name of the request in allocation results.
	name      string
	class     string
	selectors []resourceapi.DeviceSelector
	count     int64
}

// alternativesOf returns the subrequests of a request in the order of
// preference. For a request without subrequests, it returns the request itself.
func (c *Cluster) alternativesOf(request resourceapi.DeviceRequest) []wanted {
	if e := request.Exactly; e != nil {
		return []wanted{{request.Name, request.Name, e.DeviceClassName, e.Selectors, max(e.Count, 1)}}
	}
	mistakes := c.Mistakes
	var all []wanted
	for _, s := range request.FirstAvailable {
		w := wanted{request.Name, request.Name + "/" + s.Name, s.DeviceClassName, s.Selectors, max(s.Count, 1)}
		if mistakes.IgnoresCounts {
			w.count = 1
		}
		all = append(all, w)
	}
	if mistakes.PrefersLast {
		slices.Reverse(all)
	}
	if mistakes.SortsAlternatives {
		slices.SortFunc(all, func(a, b wanted) int { return strings.Compare(a.name, b.name) })
	}
	if mistakes.NeverFallsBack {
		all = all[:1]
	}
	return all
}

// nameInResult returns the request name of an allocation result.
func (c *Cluster) nameInResult(request resourceapi.DeviceRequest, w wanted) string {
	switch {
	case c.Mistakes.NamesRequests:
		return w.request
	case c.Mistakes.NamesFirst && request.Exactly == nil:
		return w.request + "/" + request.FirstAvailable[0].Name
	}
	return w.name
}

// concerns reports whether a constraint or configuration that lists these
// request names applies to w. An empty list applies to all requests.
func concerns(names []string, w wanted) bool {
	return len(names) == 0 || slices.Contains(names, w.name) || slices.Contains(names, w.request)
}

// constrains reports whether a constraint that lists these request names
// applies to w, with the configured faults.
func (c *Cluster) constrains(names []string, w wanted) bool {
	switch {
	case c.Mistakes.ConstrainsRequestsOnly && w.name != w.request:
		return len(names) == 0 || slices.Contains(names, w.name)
	case c.Mistakes.ConstrainsAllAlternatives:
		return concerns(names, w) || slices.ContainsFunc(names, func(name string) bool { return strings.HasPrefix(name, w.request+"/") })
	case c.Mistakes.ConstrainsNoAlternative:
		return len(names) == 0 || slices.Contains(names, w.request)
	}
	return concerns(names, w)
}
