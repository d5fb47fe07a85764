package audit_test

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/audit"
)

// story is a history with a fault, and without it.
type story struct {
	rule   audit.Rule
	config audit.Config
	tell   func(wrong bool) *history
	// want is what is said of the fault.
	want string
}

// either is what is there if a story goes wrong, or else if it goes right.
func either[T any](wrong bool, ifWrong, ifRight T) T {
	if wrong {
		return ifWrong
	}
	return ifRight
}

type requests = []resourceapi.DeviceRequest

func all(name string, expressions ...string) resourceapi.DeviceRequest {
	r := request(name, 0, expressions...)
	r.Exactly.AllocationMode, r.Exactly.Count = resourceapi.DeviceAllocationModeAll, 0
	return r
}

func wants(memory string) resourceapi.DeviceRequest {
	r := request("request", 1)
	r.Exactly.Capacity = &resourceapi.CapacityRequirements{Requests: quantities("memory", memory)}
	return r
}

func admin() resourceapi.DeviceRequest {
	r := request("request", 1)
	r.Exactly.AdminAccess = ptr.To(true)
	return r
}

func distinctParent() resourceapi.DeviceConstraint {
	return resourceapi.DeviceConstraint{DistinctAttribute: ptr.To[resourceapi.FullyQualifiedName](driver + "/parent")}
}

// decisions are about what a scheduler allocates.
var decisions = map[string]story{
	"a device twice": {rule: audit.DeviceOnce, tell: func(wrong bool) *history {
		h := newHistory(local(device("a"), device("b")))
		h.decide(one("x", result("n1", "a")))
		h.decide(one("y", result("n1", either(wrong, "a", "b"))))
		return h
	}, want: "device gpu.example.com/n1/a is allocated 2 times, and 2 times as a whole: to ns/x and ns/y"},
	"a whole device beside a share": {rule: audit.DeviceOnce, tell: func(wrong bool) *history {
		h := newHistory(local(device("a", shared)))
		h.decide(one("x", result("n1", "a", share("1", ""))))
		h.decide(one("y", result("n1", "a", share(either(wrong, "", "2"), ""))))
		return h
	}, want: "device gpu.example.com/n1/a is allocated 2 times, and 1 times as a whole: to ns/x and ns/y"},
	"a share twice": {rule: audit.DeviceOnce, tell: func(wrong bool) *history {
		h := newHistory(local(device("a", shared)))
		h.decide(one("x", result("n1", "a", share("1", ""))))
		h.decide(one("y", result("n1", "a", share(either(wrong, "1", "2"), ""))))
		return h
	}, want: "share 1 of device gpu.example.com/n1/a is allocated 2 times: to ns/x and ns/y"},
	"a device of nobody": {rule: audit.DeviceOffered, tell: func(wrong bool) *history {
		h := newHistory(local(device("a")))
		h.decide(one("x", result("n1", either(wrong, "b", "a"))))
		return h
	}, want: "claim ns/x: device gpu.example.com/n1/b is offered by no slice of its pool's newest generation"},
	"an outdated generation": {rule: audit.DeviceOffered, tell: func(wrong bool) *history {
		h := newHistory(
			slice("n1", onNode("n1"), generation(1), devices(device("old"))),
			slice("n1", onNode("n1"), generation(2), devices(device("new"))),
		)
		h.decide(one("x", result("n1", either(wrong, "old", "new"))))
		return h
	}, want: "claim ns/x: device gpu.example.com/n1/old is offered by no slice of its pool's newest generation"},
	"an incomplete pool": {rule: audit.PoolComplete, tell: func(wrong bool) *history {
		h := newHistory(slice("n1", onNode("n1"), inPoolOf(either[int64](wrong, 3, 1)), devices(device("a"))))
		h.decide(one("x", result("n1", "a")))
		return h
	}, want: "claim ns/x: device gpu.example.com/n1/a is from pool gpu.example.com/n1, which lacks 2 of its slices"},
	"a device in two slices": {rule: audit.PoolValid, tell: func(wrong bool) *history {
		h := newHistory(
			slice("n1", onNode("n1"), inPoolOf(2), devices(device("a"))),
			slice("n1", onNode(either(wrong, "n1", "n2")), inPoolOf(2), devices(device("b"), device(either(wrong, "a", "c")))),
		)
		h.decide(one("x", result("n1", "a")))
		return h
	}, want: "claim ns/x: device gpu.example.com/n1/a is from pool gpu.example.com/n1, which is invalid: device a is there twice"},
	"a counter set in two slices": {rule: audit.PoolValid, tell: func(wrong bool) *history {
		h := newHistory(
			slice("n1", onNode("n1"), inPoolOf(3), parts), slice("n1", onNode("n1"), inPoolOf(3), gpu),
			slice("n1", onNode("n1"), inPoolOf(3), set(either(wrong, "gpu", "gpu-1"), values{"memory": "40Gi", "engines": "1"})),
		)
		h.decide(one("x", result("n1", "a")))
		return h
	}, want: "claim ns/x: device gpu.example.com/n1/a is from pool gpu.example.com/n1, which is invalid: counter set gpu is there twice"},
	"a counter that is missing": {rule: audit.PoolValid, tell: func(wrong bool) *history {
		h := newHistory(
			slice("n1", onNode("n1"), inPoolOf(2), devices(device("a"), device("b", consumes("gpu", values{"memory": "1"})))),
			slice("n1", onNode("n1"), inPoolOf(2), set("gpu", values{either(wrong, "engines", "memory"): "1"})),
		)
		h.decide(one("x", result("n1", "a")))
		return h
	}, want: "claim ns/x: device gpu.example.com/n1/a is from pool gpu.example.com/n1, which is invalid: device b consumes counter memory of counter set gpu, which no slice has"},
	"counters of the pool": {rule: audit.CountersSuffice, tell: func(wrong bool) *history {
		h := newHistory(slice("n1", onNode("n1"), inPoolOf(2), parts), slice("n1", onNode("n1"), inPoolOf(2), gpu))
		h.decide(one("x", result("n1", "a")))
		h.decide(one("y", result("n1", either(wrong, "whole", "b"))))
		return h
	}, want: "counter memory of counter set gpu in pool gpu.example.com/n1 is overdrawn: 60Gi of 40Gi are consumed (20Gi by a of ns/x; 40Gi by whole of ns/y)"},
	"counters of a slice": {rule: audit.CountersSuffice, tell: func(wrong bool) *history {
		// Until Kubernetes 1.34, equal names in two slices are two counters.
		h := newHistory(
			slice("n1", onNode("n1"), inPoolOf(2), gpu, parts),
			slice("n1", onNode("n1"), inPoolOf(2), gpu, devices(device("other", consumes("gpu", values{"memory": "40Gi"})))),
		)
		h.decide(one("x", result("n1", "other")))
		h.decide(one("y", result("n1", "a")))
		h.decide(one("z", result("n1", either(wrong, "whole", "b"))))
		return h
	}, want: "counter memory of counter set gpu in pool gpu.example.com/n1 is overdrawn: 60Gi of 40Gi are consumed (20Gi by a of ns/y; 40Gi by whole of ns/z)"},
	"capacity": {rule: audit.CapacitySuffices, tell: func(wrong bool) *history {
		h := newHistory(local(device("a", shared, capacity("8Gi", nil))))
		h.decide(asking("x", requests{wants("6Gi")}, result("n1", "a", share("1", "6Gi"))))
		memory := either(wrong, "3Gi", "2Gi")
		h.decide(asking("y", requests{wants(memory)}, result("n1", "a", share("2", memory))))
		return h
	}, want: "capacity memory of device gpu.example.com/n1/a is overdrawn: 9Gi of 8Gi are consumed (6Gi by ns/x; 3Gi by ns/y)"},
	"capacity that is not recorded": {rule: audit.CapacityConsumed, tell: func(wrong bool) *history {
		h := newHistory(local(device("a", shared, capacity("8Gi", nil))))
		h.decide(asking("x", requests{wants("6Gi")}, result("n1", "a", share("1", either(wrong, "", "6Gi")))))
		return h
	}, want: "claim ns/x: request request has device gpu.example.com/n1/a, whose capacity memory is consumed by 6442450944, but nothing is recorded"},
	"a share of a device that is not shared": {rule: audit.CapacityConsumed, tell: func(wrong bool) *history {
		h := newHistory(local(device("a", either(wrong, func(*resourceapi.Device) {}, shared))))
		h.decide(asking("x", requests{request("request", 1)}, result("n1", "a", share("1", ""))))
		return h
	}, want: "claim ns/x: request request has device gpu.example.com/n1/a, which is not shared, as a share"},
	"capacity that was not rounded": {rule: audit.CapacityConsumed, tell: func(wrong bool) *history {
		policy := &resourceapi.CapacityRequestPolicy{Default: ptr.To(resource.MustParse("2")), ValidRange: &resourceapi.CapacityRequestPolicyRange{
			Min: ptr.To(resource.MustParse("2")), Step: ptr.To(resource.MustParse("3")),
		}}
		h := newHistory(local(device("a", shared, capacity("12", policy))))
		h.decide(asking("x", requests{wants("4")}, result("n1", "a", share("1", either(wrong, "4", "5")))))
		return h
	}, want: "claim ns/x: request request has device gpu.example.com/n1/a, of whose capacity memory it consumes 4, not 5"},
	"less capacity than asked for": {rule: audit.CapacityConsumed, tell: func(wrong bool) *history {
		h := newHistory(local(device("a", capacity(either(wrong, "4", "8"), nil))))
		h.decide(asking("x", requests{wants("5")}, result("n1", "a")))
		return h
	}, want: "claim ns/x: request request has device gpu.example.com/n1/a, whose capacity memory is 4, less than what is asked for"},
	"capacity that is not there": {rule: audit.CapacityConsumed, tell: func(wrong bool) *history {
		h := newHistory(local(device("a", capacity("8", nil)), device("b")))
		h.decide(asking("x", requests{wants("5")}, result("n1", either(wrong, "b", "a"))))
		return h
	}, want: "claim ns/x: request request has device gpu.example.com/n1/b, which has no capacity memory"},
	"a device too many": {rule: audit.RequestSatisfied, tell: func(wrong bool) *history {
		h := newHistory(local(device("a"), device("b")))
		h.decide(asking("x", requests{request("request", either[int64](wrong, 1, 2))}, result("n1", "a"), result("n1", "b")))
		return h
	}, want: "claim ns/x: request request has 2 devices, not 1"},
	"two alternatives": {rule: audit.RequestSatisfied, tell: func(wrong bool) *history {
		h := newHistory(local(device("a"), device("b")))
		h.decide(asking("x", requests{alternatives(request("big", 2), request("small", 1))},
			result("n1", "a", toRequest("request/big")), result("n1", "b", toRequest(either(wrong, "request/small", "request/big")))))
		return h
	}, want: "claim ns/x: request request has devices for several of its alternatives: request/big and request/small"},
	"not all devices": {rule: audit.RequestAll, tell: func(wrong bool) *history {
		h := newHistory(local(device("a"), device("b")), slice("n2", onNode("n2"), devices(device("c"))), slice("n1", of("other.example.com"), onNode("n1"), devices(device("d"))))
		results := []resourceapi.DeviceRequestAllocationResult{result("n1", "a"), result("n1", "b")}
		h.decide(asking("x", requests{all("request")}, results[:either(wrong, 1, 2)]...))
		return h
	}, want: "claim ns/x: request request asks for all devices, but does not have gpu.example.com/n1/b, which it matches"},
	"all devices, of which there are none": {rule: audit.RequestSatisfied, tell: func(wrong bool) *history {
		h := newHistory(local(device("a")))
		results := []resourceapi.DeviceRequestAllocationResult{result("n1", "a")}
		h.decide(asking("x", requests{all("request")}, results[:either(wrong, 0, 1)]...))
		return h
	}, want: "claim ns/x: request request has no devices, not all"},
	"a selector": {rule: audit.SelectorAccepts, tell: func(wrong bool) *history {
		h := newHistory(local(device("a", attribute("kind", "small")), device("b", attribute("kind", "big"))))
		h.decide(asking("x", requests{request("request", 1, small)}, result("n1", either(wrong, "b", "a"))))
		return h
	}, want: "claim ns/x: request request has device gpu.example.com/n1/b, which its selector does not accept: " + small},
	"a selector of the class": {rule: audit.ClassAccepts, tell: func(wrong bool) *history {
		h := newHistory(local(device("a", attribute("kind", "small")), device("b", attribute("kind", "big"))))
		h.Classes[0].Spec.Selectors = selectors(small)
		h.settle()
		h.decide(one("x", result("n1", either(wrong, "b", "a"))))
		return h
	}, want: "claim ns/x: class gpu of request request has device gpu.example.com/n1/b, which its selector does not accept: " + small},
	"devices of two parents": {rule: audit.AttributesMatch, tell: func(wrong bool) *history {
		h := newHistory(local(device("a", attribute("parent", "p")), device("b", attribute("parent", either(wrong, "q", "p")))))
		c := asking("x", requests{request("request", 2)}, result("n1", "a"), result("n1", "b"))
		c.Spec.Devices.Constraints = []resourceapi.DeviceConstraint{sameParent()}
		h.decide(c)
		return h
	}, want: "claim ns/x: devices gpu.example.com/n1/a and gpu.example.com/n1/b differ in the attribute gpu.example.com/parent, which must match"},
	"devices of one parent": {rule: audit.AttributesDiffer, tell: func(wrong bool) *history {
		h := newHistory(local(device("a", attribute("parent", "p")), device("b", attribute("parent", either(wrong, "p", "q")))))
		c := asking("x", requests{request("request", 2)}, result("n1", "a"), result("n1", "b"))
		c.Spec.Devices.Constraints = []resourceapi.DeviceConstraint{distinctParent()}
		h.decide(c)
		return h
	}, want: "claim ns/x: devices gpu.example.com/n1/a and gpu.example.com/n1/b have the attribute gpu.example.com/parent in common, which must differ"},
	"a device without an attribute that must differ": {rule: audit.AttributesDiffer, tell: func(wrong bool) *history {
		h := newHistory(local(device("a", attribute(either(wrong, "color", "parent"), "p"))))
		c := one("x", result("n1", "a"))
		c.Spec.Devices.Constraints = []resourceapi.DeviceConstraint{distinctParent()}
		h.decide(c)
		return h
	}, want: "claim ns/x: device gpu.example.com/n1/a lacks the attribute gpu.example.com/parent, which must differ"},
	"configuration of an alternative that was not taken": {rule: audit.ConfigurationCopied, tell: func(wrong bool) *history {
		h := newHistory(local(device("a")))
		h.Classes[0].Spec.Config = []resourceapi.DeviceClassConfiguration{{DeviceConfiguration: states(`{}`).DeviceConfiguration}}
		h.settle()
		c := asking("x", requests{alternatives(request("big", 1), request("small", 1))}, result("n1", "a", toRequest("request/small")))
		for _, of := range []string{"request", "request/big", "request/small"} {
			c.Spec.Devices.Config = append(c.Spec.Devices.Config, resourceapi.DeviceClaimConfiguration{Requests: []string{of}, DeviceConfiguration: states(`{"k/of":{"string":"` + of + `"}}`).DeviceConfiguration})
		}
		of := func(i int) resourceapi.DeviceAllocationConfiguration {
			return resourceapi.DeviceAllocationConfiguration{Source: resourceapi.AllocationConfigSourceClaim, DeviceConfiguration: c.Spec.Devices.Config[i].DeviceConfiguration}
		}
		class := states(`{}`)
		class.Source = resourceapi.AllocationConfigSourceClass
		class.Requests = []string{"request/small"}
		c.Status.Allocation.Devices.Config = []resourceapi.DeviceAllocationConfiguration{class, of(0), of(either(wrong, 1, 2))}
		h.decide(c)
		return h
	}, want: "claim ns/x: request request/small is configured by " +
		"FromClass (resource.k8s.io: " + stated(`{}`) + ") and FromClaim (resource.k8s.io: " + stated(`{"k/of":{"string":"request"}}`) + ") and FromClaim (resource.k8s.io: " + stated(`{"k/of":{"string":"request/big"}}`) + "), not by " +
		"FromClass (resource.k8s.io: " + stated(`{}`) + ") and FromClaim (resource.k8s.io: " + stated(`{"k/of":{"string":"request"}}`) + ") and FromClaim (resource.k8s.io: " + stated(`{"k/of":{"string":"request/small"}}`) + ")"},
	"configuration of the class that is lost": {rule: audit.ConfigurationCopied, tell: func(wrong bool) *history {
		h := newHistory(local(device("a")))
		h.Classes[0].Spec.Config = []resourceapi.DeviceClassConfiguration{{DeviceConfiguration: states(`{}`).DeviceConfiguration}}
		h.settle()
		c := one("x", result("n1", "a"))
		if !wrong {
			class := states(`{}`)
			class.Source = resourceapi.AllocationConfigSourceClass
			c.Status.Allocation.Devices.Config = []resourceapi.DeviceAllocationConfiguration{class}
		}
		h.decide(c)
		return h
	}, want: "claim ns/x: request request is configured by nothing, not by FromClass (resource.k8s.io: " + stated(`{}`) + ")"},
	"a taint": {rule: audit.TaintTolerated, tell: func(wrong bool) *history {
		h := newHistory(local(device("a", taint(either(wrong, resourceapi.DeviceTaintEffectNoSchedule, resourceapi.DeviceTaintEffectNone)))))
		h.decide(one("x", result("n1", "a")))
		return h
	}, want: "claim ns/x: request request has device gpu.example.com/n1/a with the taint broken=yes:NoSchedule, which it does not tolerate"},
	"a toleration of another taint": {rule: audit.TaintTolerated, tell: func(wrong bool) *history {
		h := newHistory(local(device("a", taint(resourceapi.DeviceTaintEffectNoExecute))))
		c := one("x", result("n1", "a"))
		c.Spec.Devices.Requests[0].Exactly.Tolerations = []resourceapi.DeviceToleration{{Key: "broken", Operator: resourceapi.DeviceTolerationOpEqual, Value: either(wrong, "no", "yes")}}
		h.decide(c)
		return h
	}, want: "claim ns/x: request request has device gpu.example.com/n1/a with the taint broken=yes:NoExecute, which it does not tolerate"},
	"admin access without the label": {rule: audit.AdminNamespace, tell: func(wrong bool) *history {
		h := newHistory(local(device("a")))
		if !wrong {
			h.Namespaces[0].Labels = map[string]string{"resource.kubernetes.io/admin-access": "true"}
		}
		h.decide(asking("x", requests{admin()}, result("n1", "a", forAdmin)))
		return h
	}, want: "claim ns/x: request request asks for admin access in namespace ns, which lacks the label"},
	"admin access that nobody asked for": {rule: audit.AdminAsRequested, tell: func(wrong bool) *history {
		h := newHistory(local(device("a")))
		h.decide(one("x", result("n1", "a", forAdminOf(wrong))))
		return h
	}, want: "claim ns/x: request request has device gpu.example.com/n1/a with admin access true, not false"},
	"a node that does not have the device": {rule: audit.NodesReachDevices, tell: func(wrong bool) *history {
		h := newHistory(local(device("a")))
		c := one("x", result("n1", "a"))
		c.Status.Allocation.NodeSelector = either(wrong, hosts("0", "1"), hosts("0"))
		h.decide(c)
		return h
	}, want: "claim ns/x: its allocation is for node n2 (node selector: host In [0 1]), but device gpu.example.com/n1/a is on node n1, not on n2"},
	"all nodes for a device of some": {rule: audit.NodesReachDevices, tell: func(wrong bool) *history {
		h := newHistory(slice("slice", func(s *resourceapi.ResourceSliceSpec) { s.NodeSelector = hosts("0") }, devices(device("a"))))
		c := one("x", result("slice", "a"))
		c.Status.Allocation.NodeSelector = either(wrong, nil, hosts("0"))
		h.decide(c)
		return h
	}, want: "claim ns/x: its allocation is for node n2 (node selector: nothing), but device gpu.example.com/slice/a is on the nodes that host In [0] matches, not on n2"},
	"two values on a device": {rule: audit.AffinityValuesMeet, config: audit.Config{Scheduler: audit.Scheduler{SharingAffinity: true}}, tell: func(wrong bool) *history {
		h := newHistory(demanding())
		for i, subnet := range []string{"a", either(wrong, "b", "a")} {
			c := one(fmt.Sprintf("x%d", i), result("n1", "a", share(fmt.Sprint(i), "")))
			configure(&c, states(fmt.Sprintf(`{"net/subnet":{"string":%q},"net/other":{"string":"%d"}}`, subnet, i)))
			h.decide(c)
		}
		return h
	}, want: `device gpu.example.com/n1/a is shared only by who states the same value for net/subnet, but ns/x0 states "a", ns/x1 states "b"`},
	"no value on a device that demands one": {rule: audit.AffinityValuesMeet, config: audit.Config{Scheduler: audit.Scheduler{SharingAffinity: true}}, tell: func(wrong bool) *history {
		h := newHistory(demanding())
		c := one("x", result("n1", "a", share("1", "")))
		configure(&c, states(`{"net/subnet":{"string":"a"}}`, either(wrong, "another", "request")))
		h.decide(c)
		return h
	}, want: "device gpu.example.com/n1/a is shared only by who states the same value for net/subnet, but ns/x states nothing"},
}

func stated(attributes string) string { return string(states(attributes).Opaque.Parameters.Raw) }

func forAdminOf(is bool) func(*resourceapi.DeviceRequestAllocationResult) {
	return func(r *resourceapi.DeviceRequestAllocationResult) {
		if is {
			r.AdminAccess = ptr.To(true)
		}
	}
}

// demanding is a slice with the shared device a, whose holders state a subnet.
func demanding() resourceapi.ResourceSlice {
	s := local(device("a", shared))
	s.Annotations = map[string]string{"draconform.dev/sharing-affinity": `{"a":{"attributeKeys":["net/subnet"]}}`}
	return s
}

// uses are about claims while pods use them.
var uses = map[string]story{
	"a pod off its devices' nodes": {rule: audit.PodOnNode, tell: func(wrong bool) *history {
		h, _ := running(either(wrong, "n2", "n1"))
		h.look()
		return h
	}, want: "claim ns/x: pod ns/pod is on node n2, but the allocation is for nodes with metadata.name In [n1]"},
	"a pod without a reservation": {rule: audit.PodReserved, tell: func(wrong bool) *history {
		h, c := running("n1")
		reserve(c, either(wrong, "other", "pod"))
		h.look()
		return h
	}, want: "claim ns/x: pod ns/pod (UID pod) runs on node n1, but the claim is not reserved for it"},
	"an allocation that changes": {rule: audit.AllocationKept, tell: func(wrong bool) *history {
		h, c := running("n1")
		h.look()
		c.Status.Allocation.Devices.Results[0].Device = either(wrong, "b", "a")
		h.look()
		return h
	}, want: "claim ns/x: its allocation became [gpu.example.com/n1/b], after [gpu.example.com/n1/a] while pod ns/pod (UID pod) is on node n1 and uses it"},
	"an allocation that goes": {rule: audit.AllocationKept, tell: func(wrong bool) *history {
		h, c := running("n1")
		h.look()
		if h.Pods[0].Status.Phase = corev1.PodSucceeded; wrong {
			h.Pods[0].Status.Phase = corev1.PodPending
		}
		c.Status = resourceapi.ResourceClaimStatus{}
		h.look()
		return h
	}, want: "claim ns/x: it is not allocated any more while pod ns/pod (UID pod) is on node n1 and uses it"},
	"a claim that goes": {rule: audit.AllocationKept, tell: func(wrong bool) *history {
		h, _ := running("n1")
		h.look()
		h.Claims = nil
		if !wrong {
			h.Pods = nil
		}
		h.look()
		return h
	}, want: "claim ns/x: it is gone while pod ns/pod (UID pod) is on node n1 and uses it"},
	"a reservation of nothing": {rule: audit.ReservedAllocated, tell: func(wrong bool) *history {
		h := newHistory(local(device("a")))
		c := h.put(one("x", result("n1", "a")))
		if reserve(c, "pod"); wrong {
			c.Status.Allocation = nil
		}
		h.look()
		return h
	}, want: "claim ns/x: it is reserved for pods pod (UID pod), but not allocated"},
	"a reservation twice": {rule: audit.ReservedLimit, tell: func(wrong bool) *history {
		h := newHistory(local(device("a")))
		reserve(h.decide(one("x", result("n1", "a"))), "pod", either(wrong, "pod", "other"))
		h.look()
		return h
	}, want: "claim ns/x: it is reserved twice for pods pod (UID pod)"},
	"too many reservations": {rule: audit.ReservedLimit, tell: func(wrong bool) *history {
		h := newHistory(local(device("a")))
		var pods []string
		for i := range either(wrong, 257, 256) {
			pods = append(pods, fmt.Sprint(i))
		}
		reserve(h.decide(one("x", result("n1", "a"))), pods...)
		h.look()
		return h
	}, want: "claim ns/x: it is reserved for 257 consumers, more than 256"},
	"the status of another device": {rule: audit.StatusOfAllocated, tell: func(wrong bool) *history {
		h := newHistory(local(device("a")))
		c := h.decide(one("x", result("n1", "a")))
		c.Status.Devices = []resourceapi.AllocatedDeviceStatus{{Driver: driver, Pool: "n1", Device: either(wrong, "b", "a")}}
		h.look()
		return h
	}, want: "claim ns/x: it has the status of device gpu.example.com/n1/b, which is not allocated to it"},
	"the status of another share": {rule: audit.StatusOfAllocated, tell: func(wrong bool) *history {
		h := newHistory(local(device("a", shared)))
		c := h.decide(one("x", result("n1", "a", share("1", ""))))
		c.Status.Devices = []resourceapi.AllocatedDeviceStatus{{Driver: driver, Pool: "n1", Device: "a", ShareID: ptr.To(either(wrong, "2", "1"))}}
		h.look()
		return h
	}, want: "claim ns/x: it has the status of device gpu.example.com/n1/a with share 2, which is not allocated to it"},
}

// running is a history in which a pod has run on a node for a look.
func running(node string) (*history, *resourceapi.ResourceClaim) {
	h := newHistory(local(device("a"), device("b")))
	c := h.decide(one("x", result("n1", "a")))
	reserve(c, "pod")
	h.start(node)
	h.look()
	return h, c
}
