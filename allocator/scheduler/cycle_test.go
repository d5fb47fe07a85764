// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package scheduler

import (
	"slices"

	. "github.com/onsi/gomega"
	"github.com/onsi/gomega/types"
	corev1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

// cycle is one scheduling attempt of a pod.
type cycle struct {
	w     *world
	pod   *corev1.Pod
	state fwk.CycleState
	node  string
	named *fwk.PreFilterResult
}

func (w *world) begin(pod *corev1.Pod) *cycle {
	return &cycle{w: w, pod: pod, state: framework.NewCycleState()}
}

func (c *cycle) preFilter() *fwk.Status {
	defer c.w.checkLedger()
	var status *fwk.Status
	c.named, status = c.w.plugin.PreFilter(c.w.ctx, c.state, c.pod, c.w.nodes)
	return status
}

// filter returns the status of each node.
func (c *cycle) filter() map[string]*fwk.Status {
	statuses := map[string]*fwk.Status{}
	for _, info := range c.w.nodes {
		name := info.Node().Name
		if !c.named.AllNodes() && !c.named.NodeNames.Has(name) {
			// The framework reports this status for nodes that PreFilter excludes. Filter must return the same.
			statuses[name] = unschedulable(cannotAllocate)
			c.w.Expect(c.w.plugin.Filter(c.w.ctx, c.state, c.pod, info).Code()).To(Equal(statuses[name].Code()))
			continue
		}
		statuses[name] = c.w.plugin.Filter(c.w.ctx, c.state, c.pod, info)
	}
	return statuses
}

// schedule runs PreFilter, Filter, Score and Reserve, and returns the first status that is not a success. It selects
// the node with the highest score, and the first of several such nodes.
func (c *cycle) schedule() *fwk.Status {
	if status := c.preFilter(); !status.IsSuccess() {
		return status
	}
	statuses := c.filter()
	best, last := int64(-1), (*fwk.Status)(nil)
	for _, info := range c.w.nodes {
		name := info.Node().Name
		if !statuses[name].IsSuccess() {
			last = statuses[name]
			continue
		}
		score, status := c.w.plugin.Score(c.w.ctx, c.state, c.pod, info)
		if !status.IsSuccess() {
			return status
		}
		if score > best {
			best, c.node = score, name
		}
	}
	if c.node == "" {
		return last
	}
	defer c.w.checkLedger()
	return c.w.plugin.Reserve(c.w.ctx, c.state, c.pod, c.node)
}

func (c *cycle) bind() *fwk.Status {
	defer c.w.checkLedger()
	return c.w.plugin.PreBind(c.w.ctx, c.state, c.pod, c.node)
}

func (c *cycle) unreserve() {
	defer c.w.checkLedger()
	c.w.plugin.Unreserve(c.w.ctx, c.state, c.pod, c.node)
}

// mustBind schedules and binds a pod.
func (w *world) mustBind(pod *corev1.Pod) *cycle {
	c := w.begin(pod)
	w.Expect(c.schedule()).To(succeed())
	w.Expect(c.bind()).To(succeed())
	return c
}

// succeed matches a successful status.
func succeed() types.GomegaMatcher {
	return WithTransform(func(s *fwk.Status) string {
		if s.IsSuccess() {
			return ""
		}
		return s.Code().String() + ": " + s.Message()
	}, BeEmpty())
}

// unschedulableBecause matches an unschedulable status whose message contains the reason.
func unschedulableBecause(reason string) types.GomegaMatcher {
	return haveStatus(fwk.UnschedulableAndUnresolvable, reason)
}

func haveStatus(code fwk.Code, reason string) types.GomegaMatcher {
	return And(
		WithTransform(func(s *fwk.Status) string { return s.Code().String() }, Equal(code.String())),
		WithTransform(func(s *fwk.Status) string { return s.Message() }, ContainSubstring(reason)),
	)
}

// devicesOf returns the devices of a claim's allocation in the API server, as pool/device.
func (w *world) devicesOf(claim string) []string {
	allocation := w.claim(claim).Status.Allocation
	if allocation == nil {
		return nil
	}
	var ids []string
	for _, r := range allocation.Devices.Results {
		ids = append(ids, r.Pool+"/"+r.Device)
	}
	slices.Sort(ids)
	return ids
}
