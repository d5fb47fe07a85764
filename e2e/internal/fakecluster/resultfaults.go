package fakecluster

import (
	"slices"
	"strings"

	resourceapi "k8s.io/api/resource/v1"
)

// config returns the configuration of the allocation: first that of the
// classes, then that of the claim.
func (s *search) config() []resourceapi.DeviceAllocationConfiguration {
	all := append(s.classConfig(), s.claimConfig()...)
	if s.cluster.Mistakes.WidensConfig {
		for i := range all {
			all[i].Requests = nil
		}
	}
	return all
}

// classConfig returns the configuration of each class once, with the names of
// all requests that use the class.
func (s *search) classConfig() []resourceapi.DeviceAllocationConfiguration {
	if s.cluster.Mistakes.LosesClassConfig {
		return nil
	}
	var all []resourceapi.DeviceAllocationConfiguration
	var classes []string
	requests := map[string][]string{} // by class
	for _, w := range s.configured() {
		if !slices.Contains(classes, w.class) {
			classes = append(classes, w.class)
		}
		if !slices.Contains(requests[w.class], w.name) {
			requests[w.class] = append(requests[w.class], w.name)
		}
	}
	for _, class := range classes {
		for _, c := range s.classes[class].Spec.Config {
			all = append(all, resourceapi.DeviceAllocationConfiguration{
				Source: resourceapi.AllocationConfigSourceClass, Requests: requests[class], DeviceConfiguration: c.DeviceConfiguration,
			})
		}
	}
	return all
}

// claimConfig returns the configuration of the claim that applies to the
// allocated requests.
func (s *search) claimConfig() []resourceapi.DeviceAllocationConfiguration {
	var all []resourceapi.DeviceAllocationConfiguration
	configured := s.configured()
	for _, c := range s.claim.Spec.Devices.Config {
		applies := slices.ContainsFunc(configured, func(w wanted) bool { return concerns(c.Requests, w) })
		scoped := slices.ContainsFunc(c.Requests, func(name string) bool { return strings.Contains(name, "/") })
		if !applies || scoped && s.cluster.Mistakes.LosesScopedConfig {
			continue
		}
		all = append(all, resourceapi.DeviceAllocationConfiguration{
			Source: resourceapi.AllocationConfigSourceClaim, Requests: c.Requests, DeviceConfiguration: c.DeviceConfiguration,
		})
	}
	return all
}

// configured returns the requests that get a configuration: those that were
// allocated.
func (s *search) configured() []wanted {
	var all []wanted
	if s.cluster.Mistakes.KeepsAllConfig {
		for _, r := range s.requests {
			all = append(all, s.cluster.alternativesOf(r)...)
		}
		return all
	}
	for _, chosen := range s.chosen {
		all = append(all, chosen.wanted)
	}
	return all
}
