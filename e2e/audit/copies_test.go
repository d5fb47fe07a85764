// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package audit_test

import (
	"testing"

	. "github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/audit"
)

// copies contains scenarios of allocations with fields that are not what they should be
// copies of.
var copies = map[string]scenario{
	"tolerations of another request": {rule: audit.ResultsCopied, build: func(wrong bool) *history {
		h := newHistory(local(device("a"), device("b")))
		c := asking("x", requests{request("request", 1), request("other", 1)}, result("n1", "a"), result("n1", "b", toRequest("other")))
		c.Spec.Devices.Requests[0].Exactly.Tolerations = tolerations
		c.Status.Allocation.Devices.Results[either(wrong, 1, 0)].Tolerations = tolerations[:1]
		c.Status.Allocation.Devices.Results[0].Tolerations = tolerations
		h.allocate(c)
		return h
	}, want: "claim ns/x: request other has device gpu.example.com/n1/b with tolerations broken Equal yes:NoExecute for 60s, not nothing"},
	"tolerations of another time": {rule: audit.ResultsCopied, build: func(wrong bool) *history {
		h := newHistory(local(device("a")))
		c := asking("x", requests{alternatives(request("big", 1))}, result("n1", "a", toRequest("request/big")))
		c.Spec.Devices.Requests[0].FirstAvailable[0].Tolerations = tolerations
		recorded := *tolerations[0].DeepCopy()
		recorded.TolerationSeconds = either(wrong, nil, recorded.TolerationSeconds)
		// They are a list without an order, and the operator has a default.
		recorded.Operator = ""
		c.Status.Allocation.Devices.Results[0].Tolerations = []resourceapi.DeviceToleration{tolerations[1], recorded}
		h.allocate(c)
		return h
	}, want: "claim ns/x: request request/big has device gpu.example.com/n1/a with tolerations  Exists :NoSchedule, broken Equal yes:NoExecute, not  Exists :NoSchedule, broken Equal yes:NoExecute for 60s"},
	"binding conditions of the first share": {rule: audit.ResultsCopied, build: func(wrong bool) *history {
		h := newHistory(local(device("a", shared, binds)))
		first, second := result("n1", "a", share("1", ""), waits), result("n1", "a", share("2", ""), waits)
		if wrong {
			second.BindingConditions = nil
		}
		h.allocate(asking("x", requests{request("request", 2)}, first, second))
		return h
	}, want: "claim ns/x: request request has device gpu.example.com/n1/a with bindingConditions nothing, not example.com/attached"},
	"binding failure conditions for admin access": {rule: audit.ResultsCopied, build: func(wrong bool) *history {
		h := newHistory(local(device("a", binds)))
		h.Namespaces[0].Labels = map[string]string{"resource.kubernetes.io/admin-access": "true"}
		r := result("n1", "a", forAdmin, waits)
		if wrong {
			r.BindingFailureConditions = []string{"example.com/attached"}
		}
		h.allocate(asking("x", requests{admin()}, r))
		return h
	}, want: "claim ns/x: request request has device gpu.example.com/n1/a with bindingFailureConditions example.com/attached, not example.com/failed"},
	"operations that are not skipped": {rule: audit.ResultsCopied, build: func(wrong bool) *history {
		h := newHistory(skipping("a", resourceapi.SkipNodeOperationNodeUnprepareResources))
		r := result("n1", "a")
		r.SkipNodeOperations = []resourceapi.SkipNodeOperation{either(wrong, resourceapi.SkipNodeOperationAll, resourceapi.SkipNodeOperationNodeUnprepareResources)}
		h.allocate(one("x", r))
		return h
	}, want: "claim ns/x: request request has device gpu.example.com/n1/a with skipNodeOperations " +
		string(resourceapi.SkipNodeOperationAll) + ", not " + string(resourceapi.SkipNodeOperationNodeUnprepareResources)},
}

var tolerations = []resourceapi.DeviceToleration{
	{Key: "broken", Operator: resourceapi.DeviceTolerationOpEqual, Value: "yes", Effect: resourceapi.DeviceTaintEffectNoExecute, TolerationSeconds: ptr.To[int64](60)},
	{Operator: resourceapi.DeviceTolerationOpExists, Effect: resourceapi.DeviceTaintEffectNoSchedule},
}

// binds gives a device binding conditions, and waits records them.
func binds(d *resourceapi.Device) {
	d.BindingConditions, d.BindingFailureConditions = []string{"example.com/attached"}, []string{"example.com/failed"}
}

func waits(r *resourceapi.DeviceRequestAllocationResult) {
	r.BindingConditions, r.BindingFailureConditions = []string{"example.com/attached"}, []string{"example.com/failed"}
}

// skipping returns node n1's slice with a device for which kubelets skip an operation.
func skipping(name string, operation resourceapi.SkipNodeOperation) resourceapi.ResourceSlice {
	s := local(device(name))
	s.Spec.SkipNodeOperations = []resourceapi.SkipNodeOperation{operation}
	return s
}

// Fields are missing without their features, and may be those of outdated slices.
func TestAuditorComparesCopiesWithWhatTheSchedulerKnew(t *testing.T) {
	bound := func() resourceapi.ResourceClaim { return one("x", result("n1", "a", waits)) }
	tolerant := one("x", result("n1", "a"))
	tolerant.Spec.Devices.Requests[0].Exactly.Tolerations = tolerations
	with, without := some{local(device("a", binds))}, some{local(device("a"))}
	for name, test := range map[string]struct {
		history *history
		by      audit.Scheduler
		alarms  int
	}{
		"no tolerations":                        {history: after(&with[0], tolerant, waits), by: audit.Scheduler{OmitsTolerations: true}},
		"no binding conditions":                 {history: after(&with[0], one("x", result("n1", "a"))), by: audit.Scheduler{OmitsBindingConditions: true}},
		"no skipped operations":                 {history: after(ptr.To(skipping("a", resourceapi.SkipNodeOperationAll)), one("x", result("n1", "a"))), by: audit.Scheduler{OmitsSkippedOperations: true}},
		"conditions without the feature":        {history: after(&without[0], bound()), by: audit.Scheduler{OmitsBindingConditions: true}, alarms: 2},
		"conditions that a device just got":     {history: changed(false, one("x", result("n1", "a")), without, with, asIs)},
		"conditions that a device just lost":    {history: changed(false, bound(), with, without, asIs)},
		"conditions that a device got long ago": {history: changed(true, one("x", result("n1", "a")), without, with, asIs), alarms: 2},
	} {
		t.Run(name, func(t *testing.T) {
			NewWithT(t).Expect(test.history.alarms(t.Context(), audit.Config{Scheduler: test.by})).To(HaveLen(test.alarms))
		})
	}
}

// after returns the history of a claim that is allocated from a slice.
func after(s *resourceapi.ResourceSlice, c resourceapi.ResourceClaim, options ...func(*resourceapi.DeviceRequestAllocationResult)) *history {
	h := newHistory(*s)
	c = *c.DeepCopy()
	for _, o := range options {
		o(&c.Status.Allocation.Devices.Results[0])
	}
	h.allocate(c)
	return h
}
