// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package multihost publishes devices that span hosts. One controller in the
// cluster publishes them for all hosts.
package multihost

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	"k8s.io/client-go/kubernetes"
	"k8s.io/klog/v2"

	"github.com/draconform/draconform/fakedriver/topology"
)

// Config configures the controller.
type Config struct {
	// DriverName is the name of the DRA driver. The name of its only pool is
	// that of the topology.
	DriverName string
	// Topology describes the devices.
	Topology *topology.Topology
	// AssignByName assigns worker nodes to the hosts of the topology in the
	// order of the nodes' names. It is for clusters whose nodes do not have the
	// topology's label. The nodes are then selected by kubernetes.io/hostname.
	// Nodes that are reserved by a taint are excluded. Adding or removing a
	// node changes the assignment of the nodes after it. Label the nodes
	// instead if nodes are added or removed.
	AssignByName bool
	// RequireReady treats hosts as missing while their nodes are not ready.
	// Without it, hosts are missing only when their nodes do not exist.
	RequireReady bool
	// Namespace is the namespace of the lease. The name of the lease is that of
	// the driver.
	Namespace string
	// Identity identifies the replica. It must be unique among the replicas.
	Identity string
	// LeaseDuration is how long other replicas wait before they replace a
	// leader that does not renew the lease. The default is 15 seconds, the
	// minimum 1 second.
	LeaseDuration time.Duration
	// CheckInterval is the interval between probes of the API server's
	// features. Upgrades of the cluster and changes of feature gates may change
	// them while the driver runs. The default is one minute. If nothing could
	// be published, the next probe follows within five seconds.
	CheckInterval time.Duration
	// ReadinessAddress is the TCP address for HTTP requests to /readyz.
	ReadinessAddress string
	// Client accesses the API server.
	Client kubernetes.Interface
}

// Run runs one replica of the controller until the context is done. It returns
// nil in that case. The ResourceSlices are kept, because a restart of the
// controller must not remove its devices.
func Run(parent context.Context, config Config) error {
	if config.DriverName == "" || config.Namespace == "" || config.Identity == "" {
		return errors.New("driver name, namespace and identity must not be empty")
	}
	if d := config.LeaseDuration; d != 0 && d < time.Second {
		return fmt.Errorf("lease duration %s: must be at least 1 second", d)
	}
	listener, err := (&net.ListenConfig{}).Listen(parent, "tcp", config.ReadinessAddress)
	if err != nil {
		return fmt.Errorf("listen for readiness requests: %w", err)
	}
	ctx, fail := context.WithCancelCause(parent)
	defer fail(nil)
	klog.FromContext(ctx).Info("Started", "driver", config.DriverName, "topology", config.Topology.Name(), "identity", config.Identity)

	state := &state{err: errStarting}
	var parts sync.WaitGroup
	parts.Go(func() { fail(serveReadiness(ctx, listener, state)) })
	parts.Go(func() { fail(elect(ctx, config, state)) })
	parts.Wait()
	if parent.Err() != nil {
		return nil
	}
	return context.Cause(ctx)
}
