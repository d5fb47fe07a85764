// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package operations

import (
	"context"

	"github.com/draconform/draconform/clusters/skew"
)

// Changer changes the components of a cluster.
type Changer interface {
	// State returns the running components.
	State(ctx context.Context) (skew.State, error)
	// Change changes the cluster as wanted, in the order that Kubernetes
	// supports. It returns when all components are ready.
	Change(ctx context.Context, want skew.Want) error
	// Stop stops a component of the control plane. Start starts it again and
	// returns when it is ready.
	Stop(ctx context.Context, component skew.Component) error
	Start(ctx context.Context, component skew.Component) error
	// Kill kills a component, which is then restarted.
	Kill(ctx context.Context, component skew.Component) error
	// KillContainer kills the process of a container on a node.
	KillContainer(ctx context.Context, node, id string) error
}
