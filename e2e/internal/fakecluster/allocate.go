package fakecluster

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/utils/ptr"
)

// allocate returns the first node that has devices for all requests of the
// pod's claim, and these devices. It returns no devices if no node fits. If
// careless is set, it ignores counters.
func (c *Cluster) allocate(pod *corev1.Pod, claim *resourceapi.ResourceClaim, careless bool) (node string, devices *resourceapi.DeviceAllocationResult, err error) {
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
	classes, err := c.classes()
	if err != nil {
		return "", nil, err
	}
	requests := claim.Spec.Devices.Requests
	if c.Mistakes.SkipsRequests {
		requests = requests[:1]
	}
	if c.Mistakes.PrefersLater {
		requests = slices.Clone(requests)
		slices.Reverse(requests)
	}
	for i := range c.Nodes {
		if !mayRunOn(pod, nodeName(i)) {
			continue
		}
		s := search{cluster: c, node: nodeName(i), claim: claim, classes: classes, requests: requests, ignoreCounters: careless || c.Mistakes.IgnoresCounters}
		s.read(stored, held)
		if s.finds() {
			return s.node, &resourceapi.DeviceAllocationResult{Results: s.results(), Config: s.config()}, nil
		}
	}
	return "", nil, nil
}

// mayRunOn reports whether the node affinity of a pod permits a node.
func mayRunOn(pod *corev1.Pod, node string) bool {
	if pod.Spec.Affinity == nil || pod.Spec.Affinity.NodeAffinity == nil {
		return true
	}
	terms := pod.Spec.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms
	return terms[0].MatchFields[0].Values[0] == node
}

// search is a backtracking search for devices on one node. It finds an
// allocation if one exists.
type search struct {
	cluster        *Cluster
	node           string
	claim          *resourceapi.ResourceClaim
	classes        map[string]*resourceapi.DeviceClass // by name
	requests       []resourceapi.DeviceRequest
	ignoreCounters bool

	devices []resourceapi.Device
	left    map[string]int64 // available counters, by counter set and name
	taken   map[string]bool  // allocated devices, by name
	chosen  []choice
	// satisfied is the highest number of requests that had all their devices
	// during the search.
	satisfied int
	// ranks is the remaining budget for the sum of the positions of the chosen
	// subrequests in their lists.
	ranks int
}

// choice is a device that is chosen for a request.
type choice struct {
	wanted
	of     resourceapi.DeviceRequest
	device resourceapi.Device
}

// read sets the devices and available counters of the node. The held devices
// are marked as taken and their counters subtracted.
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

// take allocates a device and its counters. With times -1, it deallocates them.
func (s *search) take(device resourceapi.Device, times int64) {
	s.taken[device.Name] = times > 0
	for _, consumption := range device.ConsumesCounters {
		for name, counter := range consumption.Counters {
			s.left[consumption.CounterSet+"/"+name] -= times * counter.Value.Value()
		}
	}
}

// finds reports whether there are devices for all requests.
func (s *search) finds() bool {
	s.ranks = len(s.requests) * resourceapi.FirstAvailableDeviceRequestMaxSize
	if !s.cluster.Mistakes.SumsRanks {
		return s.from(0)
	}
	for most := range s.ranks {
		if s.ranks = most; s.from(0) {
			return true
		}
	}
	return false
}

// from reports whether there are devices for request i and all later requests.
func (s *search) from(i int) bool {
	if i == len(s.requests) {
		return true
	}
	for rank, w := range s.cluster.alternativesOf(s.requests[i]) {
		if rank > s.ranks {
			return false
		}
		s.ranks -= rank
		if s.fill(i, w, w.count) {
			return true
		}
		s.ranks += rank
		if s.cluster.Mistakes.NeverYields && s.satisfied > i {
			return false
		}
	}
	return false
}

// fill chooses the given number of further devices for request i, and then
// those of the later requests.
func (s *search) fill(i int, w wanted, more int64) bool {
	if more == 0 {
		s.satisfied = max(s.satisfied, i+1)
		return s.from(i + 1)
	}
	for _, device := range s.candidates() {
		if !s.fits(w, device) {
			continue
		}
		s.take(device, 1)
		s.chosen = append(s.chosen, choice{w, s.requests[i], device})
		if s.fill(i, w, more-1) {
			return true
		}
		s.chosen = s.chosen[:len(s.chosen)-1]
		s.take(device, -1)
	}
	return false
}

// candidates returns the devices of the node in the order of preference.
func (s *search) candidates() []resourceapi.Device {
	if !s.cluster.Mistakes.SpreadsParents || len(s.chosen) == 0 {
		return s.devices
	}
	last := counterSetOf(s.chosen[len(s.chosen)-1].device)
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
	for i, chosen := range s.chosen {
		name := chosen.device.Name
		if mistakes.InventsDevices {
			name += "-invented"
		}
		if mistakes.ForgetsRequests && i > 0 && equality.Semantic.DeepEqual(chosen.selectors, s.chosen[i-1].selectors) {
			name = results[i-1].Device
		}
		results = append(results, resourceapi.DeviceRequestAllocationResult{
			Request: s.cluster.nameInResult(chosen.of, chosen.wanted), Driver: s.cluster.Driver, Pool: s.node, Device: name,
		})
	}
	return results
}
