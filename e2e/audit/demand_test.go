// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package audit_test

import (
	"fmt"
	"slices"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/audit"
)

// demands contains scenarios of allocations that do not match the requests of
// claims.
var demands = map[string]scenario{
	"a device too many": {rule: audit.RequestSatisfied, build: func(wrong bool) *history {
		h := newHistory(local(device("a"), device("b")))
		h.allocate(asking("x", requests{request("request", either[int64](wrong, 1, 2))}, result("n1", "a"), result("n1", "b")))
		return h
	}, want: "claim ns/x: request request has 2 devices, not 1"},
	"two alternatives": {rule: audit.RequestSatisfied, build: func(wrong bool) *history {
		h := newHistory(local(device("a"), device("b")))
		h.allocate(asking("x", requests{alternatives(request("big", 2), request("small", 1))},
			result("n1", "a", toRequest("request/big")), result("n1", "b", toRequest(either(wrong, "request/small", "request/big")))))
		return h
	}, want: "claim ns/x: request request has devices for several of its alternatives: request/big and request/small"},
	"not all devices": {rule: audit.RequestAll, build: func(wrong bool) *history {
		h := newHistory(local(device("a"), device("b")), slice("n2", onNode("n2"), makeDevices(device("c"))), slice("n1", of("other.example.com"), onNode("n1"), makeDevices(device("d"))))
		results := []resourceapi.DeviceRequestAllocationResult{result("n1", "a"), result("n1", "b")}
		h.allocate(asking("x", requests{all()}, results[:either(wrong, 1, 2)]...))
		return h
	}, want: "claim ns/x: request request asks for all devices, but does not have gpu.example.com/n1/b, which matches it"},
	"all devices, of which there are none": {rule: audit.RequestSatisfied, build: func(wrong bool) *history {
		h := newHistory(local(device("a")))
		results := []resourceapi.DeviceRequestAllocationResult{result("n1", "a")}
		h.allocate(asking("x", requests{all()}, results[:either(wrong, 0, 1)]...))
		return h
	}, want: "claim ns/x: request request has no devices, not all"},
	"a selector": {rule: audit.SelectorAccepts, build: func(wrong bool) *history {
		h := newHistory(local(device("a", attribute("kind", "small")), device("b", attribute("kind", "big"))))
		h.allocate(asking("x", requests{request("request", 1, small)}, result("n1", either(wrong, "b", "a"))))
		return h
	}, want: "claim ns/x: request request has device gpu.example.com/n1/b, which its selector does not accept: " + small},
	"a selector of the class": {rule: audit.ClassAccepts, build: func(wrong bool) *history {
		h := newHistory(local(device("a", attribute("kind", "small")), device("b", attribute("kind", "big"))))
		h.Classes[0].Spec.Selectors = selectors(small)
		h.settle()
		h.allocate(one("x", result("n1", either(wrong, "b", "a"))))
		return h
	}, want: "claim ns/x: class gpu of request request has device gpu.example.com/n1/b, which its selector does not accept: " + small},
	"devices of two parents": {rule: audit.AttributesMatch, build: func(wrong bool) *history {
		h := newHistory(local(device("a", attribute("parent", "p")), device("b", attribute("parent", either(wrong, "q", "p")))))
		c := asking("x", requests{request("request", 2)}, result("n1", "a"), result("n1", "b"))
		c.Spec.Devices.Constraints = []resourceapi.DeviceConstraint{sameParent()}
		h.allocate(c)
		return h
	}, want: "claim ns/x: devices gpu.example.com/n1/a and gpu.example.com/n1/b differ in the attribute gpu.example.com/parent, which must match"},
	"devices of one parent": {rule: audit.AttributesDiffer, build: func(wrong bool) *history {
		h := newHistory(local(device("a", attribute("parent", "p")), device("b", attribute("parent", either(wrong, "p", "q")))))
		c := asking("x", requests{request("request", 2)}, result("n1", "a"), result("n1", "b"))
		c.Spec.Devices.Constraints = []resourceapi.DeviceConstraint{distinctParent()}
		h.allocate(c)
		return h
	}, want: "claim ns/x: devices gpu.example.com/n1/a and gpu.example.com/n1/b have the attribute gpu.example.com/parent in common, which must differ"},
	"a derived attribute": {rule: audit.AttributesMatch, build: func(wrong bool) *history {
		h := newHistory(local(device("a", attribute("kind", "big"), attribute("parent", "p")), device("b", attribute("kind", either(wrong, "small", "big")), attribute("parent", "p"))))
		c := asking("x", requests{request("request", 2)}, result("n1", "a"), result("n1", "b"))
		c.Spec.Devices.Requests[0].Exactly.DerivedAttributes = []resourceapi.DeviceDerivedAttribute{{Name: driver + "/parent", Expression: small}}
		c.Spec.Devices.Constraints = []resourceapi.DeviceConstraint{sameParent()}
		h.allocate(c)
		return h
	}, want: "claim ns/x: devices gpu.example.com/n1/a and gpu.example.com/n1/b differ in the attribute gpu.example.com/parent, which must match"},
	"a device without an attribute that must differ": {rule: audit.AttributesDiffer, build: func(wrong bool) *history {
		h := newHistory(local(device("a", attribute(either(wrong, "color", "parent"), "p"))))
		c := one("x", result("n1", "a"))
		c.Spec.Devices.Constraints = []resourceapi.DeviceConstraint{distinctParent()}
		h.allocate(c)
		return h
	}, want: "claim ns/x: device gpu.example.com/n1/a lacks the attribute gpu.example.com/parent, which must differ"},
	"configuration of an alternative that was not taken": {rule: audit.ConfigurationCopied, build: func(wrong bool) *history {
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
		h.allocate(c)
		return h
	}, want: "claim ns/x: request request/small is configured by " +
		"FromClass (resource.k8s.io: " + stated(`{}`) + ") and FromClaim (resource.k8s.io: " + stated(`{"k/of":{"string":"request"}}`) + ") and FromClaim (resource.k8s.io: " + stated(`{"k/of":{"string":"request/big"}}`) + "), not by " +
		"FromClass (resource.k8s.io: " + stated(`{}`) + ") and FromClaim (resource.k8s.io: " + stated(`{"k/of":{"string":"request"}}`) + ") and FromClaim (resource.k8s.io: " + stated(`{"k/of":{"string":"request/small"}}`) + ")"},
	"a number of a configuration with another last digit": {rule: audit.ConfigurationCopied, build: func(wrong bool) *history {
		h := newHistory(local(device("a")))
		c := one("x", result("n1", "a"))
		configure(&c, states(`{"k/of":{"int":9007199254740993}}`))
		c.Status.Allocation.Devices.Config = []resourceapi.DeviceAllocationConfiguration{states(`{"k/of":{"int":` + either(wrong, "9007199254740992", "9007199254740993") + `}}`)}
		h.allocate(c)
		return h
	}, want: "claim ns/x: request request is configured by FromClaim (resource.k8s.io: " + stated(`{"k/of":{"int":9007199254740992}}`) + "), not by " +
		"FromClaim (resource.k8s.io: " + stated(`{"k/of":{"int":9007199254740993}}`) + ")"},
	"a configuration of the claim for one request that is repeated": {rule: audit.ConfigurationCopied, build: func(wrong bool) *history {
		h := newHistory(local(device("a")))
		c := one("x", result("n1", "a"))
		configure(&c, states(`{}`, "request"))
		if wrong {
			c.Status.Allocation.Devices.Config = slices.Repeat(c.Status.Allocation.Devices.Config, 2)
		}
		h.allocate(c)
		return h
	}, want: "claim ns/x: request request is configured by FromClaim (resource.k8s.io: " + stated(`{}`) + ") and FromClaim (resource.k8s.io: " + stated(`{}`) + "), not by " +
		"FromClaim (resource.k8s.io: " + stated(`{}`) + ")"},
	"configuration of the class that is missing": {rule: audit.ConfigurationCopied, build: func(wrong bool) *history {
		h := newHistory(local(device("a")))
		h.Classes[0].Spec.Config = []resourceapi.DeviceClassConfiguration{{DeviceConfiguration: states(`{}`).DeviceConfiguration}}
		h.settle()
		c := one("x", result("n1", "a"))
		if !wrong {
			class := states(`{}`)
			class.Source = resourceapi.AllocationConfigSourceClass
			c.Status.Allocation.Devices.Config = []resourceapi.DeviceAllocationConfiguration{class}
		}
		h.allocate(c)
		return h
	}, want: "claim ns/x: request request is configured by nothing, not by FromClass (resource.k8s.io: " + stated(`{}`) + ")"},
	"a taint": {rule: audit.TaintTolerated, build: func(wrong bool) *history {
		h := newHistory(local(device("a", taint(either(wrong, resourceapi.DeviceTaintEffectNoSchedule, resourceapi.DeviceTaintEffectNone)))))
		h.allocate(one("x", result("n1", "a")))
		return h
	}, want: "claim ns/x: request request has device gpu.example.com/n1/a with the taint broken=yes:NoSchedule, which it does not tolerate"},
	"a toleration of another taint": {rule: audit.TaintTolerated, build: func(wrong bool) *history {
		h := newHistory(local(device("a", taint(resourceapi.DeviceTaintEffectNoExecute))))
		c := one("x", result("n1", "a"))
		c.Spec.Devices.Requests[0].Exactly.Tolerations = []resourceapi.DeviceToleration{{Key: "broken", Operator: resourceapi.DeviceTolerationOpEqual, Value: either(wrong, "no", "yes")}}
		c.Status.Allocation.Devices.Results[0].Tolerations = c.Spec.Devices.Requests[0].Exactly.Tolerations
		h.allocate(c)
		return h
	}, want: "claim ns/x: request request has device gpu.example.com/n1/a with the taint broken=yes:NoExecute, which it does not tolerate"},
	"admin access without the label": {rule: audit.AdminNamespace, build: func(wrong bool) *history {
		h := newHistory(local(device("a")))
		if !wrong {
			h.Namespaces[0].Labels = map[string]string{"resource.kubernetes.io/admin-access": "true"}
		}
		h.allocate(asking("x", requests{admin()}, result("n1", "a", forAdmin)))
		return h
	}, want: "claim ns/x: request request asks for admin access in namespace ns, which lacks the label"},
	"admin access that was not requested": {rule: audit.AdminAsRequested, build: func(wrong bool) *history {
		h := newHistory(local(device("a")))
		h.allocate(one("x", result("n1", "a", forAdminOf(wrong))))
		return h
	}, want: "claim ns/x: request request has device gpu.example.com/n1/a with admin access true, not false"},
	"a node that does not have the device": {rule: audit.NodesReachDevices, build: func(wrong bool) *history {
		h := newHistory(local(device("a")))
		c := one("x", result("n1", "a"))
		c.Status.Allocation.NodeSelector = either(wrong, hosts("0", "1"), hosts("0"))
		h.allocate(c)
		return h
	}, want: "claim ns/x: its allocation is for node n2 (node selector: host In [0 1]), but device gpu.example.com/n1/a is on node n1, not on n2"},
	"all nodes for a device of some": {rule: audit.NodesReachDevices, build: func(wrong bool) *history {
		h := newHistory(slice("slice", func(s *resourceapi.ResourceSliceSpec) { s.NodeSelector = hosts("0") }, makeDevices(device("a"))))
		c := one("x", result("slice", "a"))
		c.Status.Allocation.NodeSelector = either(wrong, nil, hosts("0"))
		h.allocate(c)
		return h
	}, want: "claim ns/x: its allocation is for node n2 (node selector: nothing), but device gpu.example.com/slice/a is on the nodes that host In [0] matches, not on n2"},
	"two values on a device": {rule: audit.AffinityValuesMeet, config: audit.Config{Scheduler: audit.Scheduler{SharingAffinity: true}}, build: func(wrong bool) *history {
		h := newHistory(demanding())
		for i, subnet := range []string{"a", either(wrong, "b", "a")} {
			c := one(fmt.Sprintf("x%d", i), result("n1", "a", share(fmt.Sprint(i), "")))
			configure(&c, states(fmt.Sprintf(`{"net/subnet":{"string":%q},"net/other":{"string":"%d"}}`, subnet, i)))
			h.allocate(c)
		}
		return h
	}, want: `device gpu.example.com/n1/a is only for claims that state the same value for net/subnet, but ns/x0 states "a", ns/x1 states "b"`},
	"an entry that cannot be decoded": {rule: audit.AffinityValuesMeet, config: audit.Config{Scheduler: audit.Scheduler{SharingAffinity: true}}, build: func(wrong bool) *history {
		h := newHistory(demanding())
		c := one("x", result("n1", "a", share("1", "")))
		configure(&c, states(either(wrong, `{"net/subnet":{"string":"a"}},"more":{}`, `{"net/subnet":{"string":"a"}}`)))
		h.allocate(c)
		return h
	}, want: "device gpu.example.com/n1/a is only for claims that state the same value for net/subnet, but ns/x states nothing"},
	"a declaration that cannot be decoded": {rule: audit.AffinityValuesMeet, config: audit.Config{Scheduler: audit.Scheduler{SharingAffinity: true}}, build: func(wrong bool) *history {
		s := demanding()
		s.Annotations["draconform.dev/sharing-affinity"] = either(wrong, `{"b":{}}`, `{"b":{"attributeKeys":["net/subnet"]}}`)
		h := newHistory(s)
		h.allocate(one("x", result("n1", "a", share("1", ""))))
		return h
	}, want: "device gpu.example.com/n1/a is allocated, but the keys of its sharing affinity are not known: annotation draconform.dev/sharing-affinity, device b: attributeKeys is empty"},
	"no value on a device that demands one": {rule: audit.AffinityValuesMeet, config: audit.Config{Scheduler: audit.Scheduler{SharingAffinity: true}}, build: func(wrong bool) *history {
		h := newHistory(demanding())
		c := one("x", result("n1", "a", share("1", "")))
		configure(&c, states(`{"net/subnet":{"string":"a"}}`, either(wrong, "another", "request")))
		h.allocate(c)
		return h
	}, want: "device gpu.example.com/n1/a is only for claims that state the same value for net/subnet, but ns/x states nothing"},
}
