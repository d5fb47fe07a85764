package fakecluster

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/utils/ptr"
)

// allocate returns the first node for a pod that has devices for all requests of
// its claim, and these devices, or nothing. A careless call does not look at
// counters.
func (c *Cluster) allocate(pod *corev1.Pod, claim *resourceapi.ResourceClaim, careless bool) (node string, results []resourceapi.DeviceRequestAllocationResult, err error) {
	if c.Mistakes.RefusesAll {
		return "", nil, nil
	}
	stored, err := c.slices()
	if err != nil {
		return "", nil, err
	}
	held, err := c.held()
	if err != nil {
		return "", nil, err
	}
	requests := claim.Spec.Devices.Requests
	if c.Mistakes.SkipsRequests {
		requests = requests[:1]
	}
	for i := range c.Nodes {
		if !mayRunOn(pod, nodeName(i)) {
			continue
		}
		s := search{cluster: c, node: nodeName(i), claim: claim, requests: requests, ignoreCounters: careless || c.Mistakes.IgnoresCounters}
		s.read(stored, held)
		if s.next() {
			return s.node, s.results(), nil
		}
	}
	return "", nil, nil
}

// mayRunOn reports whether a pod is bound to another node.
func mayRunOn(pod *corev1.Pod, node string) bool {
	if pod.Spec.Affinity == nil || pod.Spec.Affinity.NodeAffinity == nil {
		return true
	}
	terms := pod.Spec.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms
	return terms[0].MatchFields[0].Values[0] == node
}

// search is the search for devices on one node. It goes on and back, so that it
// finds whatever fits.
type search struct {
	cluster        *Cluster
	node           string
	claim          *resourceapi.ResourceClaim
	requests       []resourceapi.DeviceRequest
	ignoreCounters bool

	devices []resourceapi.Device
	left    map[string]int64 // counters, by counter set and name
	taken   map[string]bool  // devices, by name
	chosen  []resourceapi.Device
}

// read takes in what the node offers, less what is held.
func (s *search) read(stored []*resourceapi.ResourceSlice, held []holding) {
	s.left, s.taken = map[string]int64{}, map[string]bool{}
	for _, slice := range stored {
		if slice.Spec.Driver != s.cluster.Driver || ptr.Deref(slice.Spec.NodeName, "") != s.node {
			continue
		}
		s.devices = append(s.devices, slice.Spec.Devices...)
		for _, set := range slice.Spec.SharedCounters {
			for name, counter := range set.Counters {
				s.left[set.Name+"/"+name] = counter.Value.Value()
			}
		}
	}
	if s.cluster.LastFit {
		slices.Reverse(s.devices)
	}
	for _, h := range held {
		for _, device := range s.devices {
			if h.pool == s.node && h.device == device.Name {
				s.take(device, 1)
			}
		}
	}
}

// take takes a device, or with -1 gives it back.
func (s *search) take(device resourceapi.Device, times int64) {
	s.taken[device.Name] = times > 0
	for _, consumption := range device.ConsumesCounters {
		for name, counter := range consumption.Counters {
			s.left[consumption.CounterSet+"/"+name] -= times * counter.Value.Value()
		}
	}
}

// next finds devices for the requests that have none yet.
func (s *search) next() bool {
	if len(s.chosen) == len(s.requests) {
		return true
	}
	request := s.requests[len(s.chosen)]
	for _, device := range s.candidates() {
		if !s.fits(request, device) {
			continue
		}
		s.take(device, 1)
		s.chosen = append(s.chosen, device)
		if s.next() {
			return true
		}
		s.chosen = s.chosen[:len(s.chosen)-1]
		s.take(device, -1)
	}
	return false
}

// candidates are the node's devices in the order of preference.
func (s *search) candidates() []resourceapi.Device {
	if !s.cluster.Mistakes.SpreadsParents || len(s.chosen) == 0 {
		return s.devices
	}
	last := counterSetOf(s.chosen[len(s.chosen)-1])
	others := slices.Clone(s.devices)
	slices.SortStableFunc(others, func(a, b resourceapi.Device) int {
		switch {
		case counterSetOf(a) != last && counterSetOf(b) == last:
			return -1
		case counterSetOf(a) == last && counterSetOf(b) != last:
			return 1
		}
		return 0
	})
	return others
}

func counterSetOf(device resourceapi.Device) string {
	if len(device.ConsumesCounters) == 0 {
		return ""
	}
	return device.ConsumesCounters[0].CounterSet
}

func (s *search) results() []resourceapi.DeviceRequestAllocationResult {
	mistakes := s.cluster.Mistakes
	var results []resourceapi.DeviceRequestAllocationResult
	for i, device := range s.chosen {
		name := device.Name
		if mistakes.InventsDevices {
			name += "-invented"
		}
		if mistakes.ForgetsRequests && i > 0 && sameSelectors(s.requests[i], s.requests[i-1]) {
			name = results[i-1].Device
		}
		results = append(results, resourceapi.DeviceRequestAllocationResult{
			Request: s.requests[i].Name, Driver: s.cluster.Driver, Pool: s.node, Device: name,
		})
	}
	return results
}
