// Package multihost publishes devices that span hosts, from one place in the
// cluster.
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

// Config says what a controller publishes and where.
type Config struct {
	// DriverName is the name of the DRA driver. Its only pool has the name of
	// the topology.
	DriverName string
	// Topology says which devices there are.
	Topology *topology.Topology
	// AssignByName makes the first host of the topology that worker node which
	// comes first by name, and so on, for clusters whose nodes do not have the
	// topology's label. The nodes are then selected by kubernetes.io/hostname.
	// Nodes that somebody has set apart by a taint are left out. A node that is
	// added or removed moves those that come behind it to other hosts: where nodes
	// come and go, label them.
	AssignByName bool
	// RequireReady makes hosts missing while their nodes are not ready, and
	// not only when these are gone.
	RequireReady bool
	// Namespace is that of the lease, which has the name of the driver.
	Namespace string
	// Identity tells the replica apart from others.
	Identity string
	// LeaseDuration is how long another replica waits for one that has gone
	// without a word. The default is 15 seconds, the minimum 1 second.
	LeaseDuration time.Duration
	// CheckInterval is how soon the controller asks again what the API server
	// keeps: clusters get upgraded, and feature gates get changed, below a
	// running driver. The default is a minute. After an answer that kept
	// everything from being published, it asks again within five seconds.
	CheckInterval time.Duration
	// ReadinessAddress is the TCP address for HTTP requests to /readyz.
	ReadinessAddress string
	// Client accesses the API server.
	Client kubernetes.Interface
}

// Run runs one replica of the controller until the context is done, which is no
// error. The ResourceSlices stay: a controller that is only restarted should not
// make its devices disappear.
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
