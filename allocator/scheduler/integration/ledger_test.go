// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package integration

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/dynamic-resource-allocation/structured"
	fwk "k8s.io/kube-scheduler/framework"

	plugin "github.com/draconform/draconform/allocator/scheduler"
	"github.com/draconform/draconform/allocator/scheduler/internal/statecheck"
)

// checked is our plugin. After every step it compares its allocated state with the one that the SharedDRAManager
// gathers.
type checked struct {
	*plugin.Plugin
	c      *cluster
	handle fwk.Handle
}

func (c *cluster) newChecked(ctx context.Context, args runtime.Object, handle fwk.Handle) (fwk.Plugin, error) {
	p, err := plugin.New(ctx, args, handle)
	if err != nil {
		return nil, err
	}
	return &checked{p.(*plugin.Plugin), c, handle}, nil
}

// check waits until the two states are equal, because either source may receive a change a little later. The
// scheduler is blocked in the meantime, so the only changes it still makes are those of pods that are being bound.
func (p *checked) check(ctx context.Context, step string) {
	var last error
	err := wait.PollUntilContextTimeout(ctx, time.Millisecond, patient, true, func(context.Context) (bool, error) {
		last = statecheck.Compare(
			func() (*structured.AllocatedState, error) { return p.AllocatedState(), nil },
			p.handle.SharedDRAManager().ResourceClaims().GatherAllocatedState)
		return last == nil, nil
	})
	if err != nil && ctx.Err() == nil {
		p.c.t.Errorf("after %s: %v", step, last)
	}
}

func (p *checked) PreFilter(ctx context.Context, state fwk.CycleState, pod *corev1.Pod, nodes []fwk.NodeInfo) (*fwk.PreFilterResult, *fwk.Status) {
	defer p.check(ctx, "PreFilter")
	return p.Plugin.PreFilter(ctx, state, pod, nodes)
}

func (p *checked) Reserve(ctx context.Context, state fwk.CycleState, pod *corev1.Pod, node string) *fwk.Status {
	defer p.check(ctx, "Reserve")
	return p.Plugin.Reserve(ctx, state, pod, node)
}

func (p *checked) Unreserve(ctx context.Context, state fwk.CycleState, pod *corev1.Pod, node string) {
	defer p.check(ctx, "Unreserve")
	p.Plugin.Unreserve(ctx, state, pod, node)
}

func (p *checked) PreBind(ctx context.Context, state fwk.CycleState, pod *corev1.Pod, node string) *fwk.Status {
	defer p.check(ctx, "PreBind")
	return p.Plugin.PreBind(ctx, state, pod, node)
}
