// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package run

import (
	"context"
	"time"

	"github.com/draconform/draconform/clusters/change"
	"github.com/draconform/draconform/clusters/kind"
	"github.com/draconform/draconform/clusters/progress"
	"github.com/draconform/draconform/clusters/skew"
	"github.com/draconform/draconform/e2e/suite/operations"
)

// changer changes the components of a kind cluster.
type changer struct {
	provider *kind.Provider
	progress *progress.Reporter
	timeout  time.Duration // The limit of each single wait.
}

func (r *runner) newChanger(p *kind.Provider) changer {
	return changer{p, r.Progress, r.scaled(change.DefaultTimeout)}
}

var _ operations.Changer = changer{}

// State implements [operations.Changer].
func (c changer) State(ctx context.Context) (skew.State, error) {
	return change.Read(ctx, c.provider)
}

// Change implements [operations.Changer].
func (c changer) Change(ctx context.Context, want skew.Want) error {
	state, err := c.State(ctx)
	if err != nil {
		return err
	}
	return change.Reach(ctx, c.provider, state, want, change.Options{Timeout: c.timeout, Progress: c.progress})
}

// Stop implements [operations.Changer].
func (c changer) Stop(ctx context.Context, component skew.Component) error {
	return change.Stop(ctx, c.provider, skew.Instance{Component: component}, c.timeout)
}

// Start implements [operations.Changer].
func (c changer) Start(ctx context.Context, component skew.Component) error {
	return change.Start(ctx, c.provider, skew.Instance{Component: component}, c.timeout)
}

// Kill implements [operations.Changer].
func (c changer) Kill(ctx context.Context, component skew.Component) error {
	return change.Kill(ctx, c.provider, skew.Instance{Component: component}, c.timeout)
}

// KillContainer implements [operations.Changer].
func (c changer) KillContainer(ctx context.Context, node, id string) error {
	return c.provider.KillContainer(ctx, node, id)
}
