// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package scheduler

import (
	"context"
	"errors"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/dynamic-resource-allocation/structured"
	fwk "k8s.io/kube-scheduler/framework"

	"github.com/draconform/draconform/allocator"
	"github.com/draconform/draconform/allocator/explain"
)

func TestOnlyNodesWithEnoughDevicesPass(t *testing.T) {
	w := newWorld(t, node("none"), node("one"), node("two"), deviceClass(), gpus("one", 1), gpus("two", 2), claimOf("c", request("req", 2)))
	c := w.begin(podWith("p", "c"))
	w.Expect(c.preFilter()).To(succeed())
	statuses := c.filter()
	w.Expect(statuses["none"]).To(unschedulableBecause(cannotAllocate))
	w.Expect(statuses["one"]).To(unschedulableBecause(cannotAllocate))
	w.Expect(statuses["two"]).To(succeed())
}

func TestAllClaimsOfAPodMustFitTogether(t *testing.T) {
	w := newWorld(t, node("one"), node("two"), deviceClass(), gpus("one", 1), gpus("two", 2), claimOf("c1", request("req", 1)), claimOf("c2", request("req", 1)))
	c := w.begin(podWith("p", "c1", "c2"))
	w.Expect(c.schedule()).To(succeed())
	w.Expect(c.node).To(Equal("two"))
	w.Expect(c.bind()).To(succeed())
	w.Expect(w.devicesOf("c1")).To(Equal([]string{"two/gpu-0"}))
	w.Expect(w.devicesOf("c2")).To(Equal([]string{"two/gpu-1"}))
}

func TestTaintedDevicesNeedAToleration(t *testing.T) {
	tainted := gpus("a", 1, func(d *resourceapi.Device) {
		d.Taints = []resourceapi.DeviceTaint{{Key: "broken", Effect: resourceapi.DeviceTaintEffectNoSchedule}}
	})
	tolerant := request("req", 1)
	tolerant.Exactly.Tolerations = []resourceapi.DeviceToleration{{Key: "broken", Operator: resourceapi.DeviceTolerationOpExists}}
	w := newWorld(t, node("a"), deviceClass(), tainted, claimOf("c", request("req", 1)), claimOf("tolerant", tolerant))
	w.Expect(w.begin(podWith("p", "c")).schedule()).To(unschedulableBecause(cannotAllocate))
	w.mustBind(podWith("q", "tolerant"))
}

func TestAllocatedClaimsKeepPodsOnTheirNodes(t *testing.T) {
	w := newWorld(t, node("a"), node("b"), deviceClass(), on(claimOf("c", request("req", 1)), "b", "gpu-0"))
	c := w.begin(podWith("p", "c"))
	w.Expect(c.preFilter()).To(succeed())
	statuses := c.filter()
	w.Expect(statuses["a"]).To(unschedulableBecause("resourceclaim not available on the node"))
	w.Expect(statuses["b"]).To(succeed())
}

func TestAllocatedClaimsNeedTheFeaturesOfTheirAllocation(t *testing.T) {
	claim := on(claimOf("c", request("req", 1)), "a", "gpu-0")
	claim.Status.Allocation.NodeSelector = nil
	claim.Status.Allocation.Devices.Results[0].SkipNodeOperations = []resourceapi.SkipNodeOperation{"Prepare"}
	able := node("able")
	able.Status.DeclaredFeatures = []string{"DRAOptionalNodeOperations"}
	w := newWorld(t, node("a"), able, claim)
	c := w.begin(podWith("p", "c"))
	w.Expect(c.preFilter()).To(succeed())
	statuses := c.filter()
	w.Expect(statuses["a"]).To(unschedulableBecause("does not declare the feature DRAOptionalNodeOperations"))
	w.Expect(statuses["able"]).To(succeed())
}

// searchFunc is a searcher whose result is a function of the node's name.
type searchFunc func(ctx context.Context, node string) (bool, error)

func (f searchFunc) Fits(ctx context.Context, node *corev1.Node, _ []*resourceapi.ResourceClaim) (bool, error) {
	return f(ctx, node.Name)
}

func (f searchFunc) Allocate(ctx context.Context, node *corev1.Node, claims []*resourceapi.ResourceClaim) ([]resourceapi.AllocationResult, error) {
	ok, err := f(ctx, node.Name)
	if !ok || err != nil {
		return nil, err
	}
	return make([]resourceapi.AllocationResult, len(claims)), nil
}

func (f searchFunc) Explain(context.Context, *corev1.Node, []*resourceapi.ResourceClaim, explain.Holders) (*explain.Explanation, error) {
	return nil, errors.New("not used in these tests")
}

func (f searchFunc) New(allocator.Usage, []*resourceapi.ResourceClaim, structured.DeviceClassLister, []*resourceapi.ResourceSlice) searcher {
	return f
}

func TestSearchThatTakesTooLongFailsOnlyItsNode(t *testing.T) {
	w := newWorld(t, node("slow"), node("fast"), deviceClass(), gpus("slow", 1), gpus("fast", 1), claimOf("c", request("req", 1)))
	w.ours().args.FilterTimeout = &metav1.Duration{Duration: time.Millisecond}
	w.ours().allocators = searchFunc(func(ctx context.Context, node string) (bool, error) {
		if node == "fast" {
			return true, nil
		}
		<-ctx.Done()
		return false, ctx.Err()
	})
	c := w.begin(podWith("p", "c"))
	w.Expect(c.preFilter()).To(succeed())
	statuses := c.filter()
	w.Expect(statuses["slow"]).To(unschedulableBecause("search for devices stopped after 1ms"))
	w.Expect(statuses["fast"]).To(succeed())
}

func TestFailuresOfASearchAreClassified(t *testing.T) {
	for name, tc := range map[string]struct {
		err    error
		status Matcher
	}{
		"of the node":   {errors.Join(errors.New("pool is invalid"), structured.ErrFailedAllocationOnNode), unschedulableBecause("pool is invalid")},
		"of the claims": {errors.New("bad expression"), haveStatus(fwk.Error, "bad expression")},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, node("a"), deviceClass(), gpus("a", 1), claimOf("c", request("req", 1)))
			w.ours().allocators = searchFunc(func(context.Context, string) (bool, error) { return false, tc.err })
			w.Expect(w.begin(podWith("p", "c")).schedule()).To(tc.status)
		})
	}
}

func TestCancelledSearchIsNoError(t *testing.T) {
	w := newWorld(t, node("a"), deviceClass(), gpus("a", 1), claimOf("c", request("req", 1)))
	w.ours().allocators = searchFunc(func(ctx context.Context, _ string) (bool, error) { return false, context.Cause(ctx) })
	c := w.begin(podWith("p", "c"))
	w.Expect(c.preFilter()).To(succeed())
	ctx, cancel := context.WithCancelCause(w.ctx)
	cancel(errors.New("enough nodes"))
	w.Expect(w.plugin.Filter(ctx, c.state, c.pod, w.nodes[0])).To(unschedulableBecause("enough nodes"))
}

func TestExpressionThatFailsFailsThePod(t *testing.T) {
	bad := request("req", 1)
	bad.Exactly.Selectors = []resourceapi.DeviceSelector{{CEL: &resourceapi.CELDeviceSelector{Expression: `device.attributes["x"].y == 1`}}}
	w := newWorld(t, node("a"), deviceClass(), gpus("a", 1), claimOf("c", bad))
	w.Expect(w.begin(podWith("p", "c")).schedule()).To(haveStatus(fwk.Error, "no such key"))
}

func TestEarlierAlternativesScoreHigher(t *testing.T) {
	w := newWorld(t, node("none"), node("one"), node("two"), deviceClass(), gpus("one", 1), gpus("two", 2), claimOf("c", firstOf("req", 2, 1)))
	c := w.begin(podWith("p", "c"))
	w.Expect(c.preFilter()).To(succeed())
	c.filter()
	var scores fwk.NodeScoreList
	for _, info := range w.nodes {
		score, status := w.plugin.Score(w.ctx, c.state, c.pod, info)
		w.Expect(status).To(succeed())
		scores = append(scores, fwk.NodeScore{Name: info.Node().Name, Score: score})
	}
	w.Expect(scores).To(Equal(fwk.NodeScoreList{{Name: "none", Score: 0}, {Name: "one", Score: 7}, {Name: "two", Score: 8}}))
	w.Expect(w.ours().NormalizeScore(w.ctx, c.state, c.pod, scores)).To(succeed())
	w.Expect(scores).To(Equal(fwk.NodeScoreList{{Name: "none", Score: 0}, {Name: "one", Score: 87}, {Name: "two", Score: 100}}))
}

func TestPodsWithDevicesAreNotSigned(t *testing.T) {
	w := newWorld(t, node("a"), extendedClass())
	for _, pod := range []*corev1.Pod{podWith("p", "c"), extendedPod("q", "1")} {
		_, status := w.ours().SignPod(w.ctx, pod)
		w.Expect(status).To(haveStatus(fwk.Unschedulable, "not signed"), pod.Name)
	}
	_, status := w.ours().SignPod(w.ctx, podWith("r"))
	w.Expect(status).To(succeed())
}
