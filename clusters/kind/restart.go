// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package kind

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"k8s.io/client-go/kubernetes"

	"github.com/draconform/draconform/clusters/internal/staticpod"
)

// serviceTimeout bounds the wait for a node's services after a restart. It is
// far longer than they need, which is a few seconds on most machines and has
// been a minute on a busy one: a kubelet is not to be blamed for its machine.
const serviceTimeout = 5 * time.Minute

// RestartKubelet kills and restarts the kubelet of a node and waits until the
// new process is healthy. Containers keep running meanwhile.
func (p *Provider) RestartKubelet(ctx context.Context, node string) error {
	if err := p.killKubelet(ctx, node); err != nil {
		return err
	}
	return p.startKubelet(ctx, node)
}

// WithoutKubelet kills the kubelet of a node, calls meanwhile, starts the kubelet again and
// waits until the new process is healthy. It is started also if meanwhile panics or ctx ends,
// because others need the node.
func (p *Provider) WithoutKubelet(ctx context.Context, node string, meanwhile func()) (err error) {
	if err := p.killKubelet(ctx, node); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.startKubelet(context.WithoutCancel(ctx), node)) }()
	// Systemd would start a killed service again.
	if _, err := p.engine.Output(ctx, "exec", node, "systemctl", "stop", "kubelet"); err != nil {
		return fmt.Errorf("stop the kubelet of node %s: %w", node, err)
	}
	meanwhile()
	return nil
}

func (p *Provider) killKubelet(ctx context.Context, node string) error {
	if err := p.checkNode(ctx, node); err != nil {
		return err
	}
	if _, err := p.engine.Output(ctx, "exec", node, "systemctl", "kill", "--signal=SIGKILL", "kubelet"); err != nil {
		return fmt.Errorf("kill the kubelet of node %s: %w", node, err)
	}
	return nil
}

func (p *Provider) startKubelet(ctx context.Context, node string) error {
	if _, err := p.engine.Output(ctx, "exec", node, "systemctl", "restart", "kubelet"); err != nil {
		return fmt.Errorf("start the kubelet of node %s: %w", node, err)
	}
	return p.waitForKubelet(ctx, node)
}

// RestartNode stops a node without a grace period, starts it again and waits
// until its kubelet is healthy. In-memory state such as /run is lost. Pods are
// restarted according to their restart policy.
func (p *Provider) RestartNode(ctx context.Context, node string) error {
	if err := p.checkNode(ctx, node); err != nil {
		return err
	}
	// The timeout of 0 simulates a power failure: processes are not terminated
	// gracefully.
	if _, err := p.engine.Output(ctx, "restart", "-t", "0", node); err != nil {
		return fmt.Errorf("restart node %s: %w", node, err)
	}
	return p.waitForKubelet(ctx, node)
}

// RestartScheduler terminates the scheduler of the cluster gracefully and waits
// until a new process holds the lease.
func (p *Provider) RestartScheduler(ctx context.Context) error {
	config, err := p.restConfig()
	if err != nil {
		return err
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	return p.restartScheduler(ctx, client)
}

func (p *Provider) restartScheduler(ctx context.Context, client kubernetes.Interface) error {
	node := p.ControlPlaneNode()
	if err := p.checkNode(ctx, node); err != nil {
		return err
	}
	before, err := leader(ctx, client)
	if err != nil {
		return err
	}
	// SIGTERM lets it terminate gracefully; the kubelet restarts its container.
	if _, err := p.engine.Output(ctx, "exec", node, "pkill", "--signal", "TERM", "--exact", staticpod.SchedulerProcess); err != nil {
		return fmt.Errorf("stop the scheduler of node %s: %w", node, err)
	}
	return waitForLeader(ctx, client, before)
}

// waitForLeader waits until the holder of the lease differs from before.
func waitForLeader(ctx context.Context, client kubernetes.Interface, before string) error {
	err := poll(ctx, schedulerTimeout, func(ctx context.Context) error { return checkNewLeader(ctx, client, before) })
	if err != nil {
		return fmt.Errorf("wait until another scheduler leads than %s: %w", before, err)
	}
	return nil
}

// waitForKubelet waits until the kubelet is healthy. It queries the kubelet on
// the node, because the API server notices with a delay that a node was down.
func (p *Provider) waitForKubelet(ctx context.Context, node string) error {
	err := poll(ctx, serviceTimeout, func(ctx context.Context) error {
		_, err := p.engine.Output(ctx, "exec", node, "curl", "--silent", "--fail", "--max-time", "2", "http://127.0.0.1:10248/healthz")
		return err
	})
	if err != nil {
		return fmt.Errorf("wait for the kubelet of node %s: %w; last lines of its log:\n%s", node, err, p.kubeletLog(ctx, node))
	}
	return nil
}

// checkNode returns an error unless a container is a node of this cluster.
func (p *Provider) checkNode(ctx context.Context, node string) error {
	all, err := List(ctx, p.engine)
	if err != nil {
		return err
	}
	for _, c := range all {
		if c.Name == p.options.Name && slices.Contains(c.Nodes, node) {
			return nil
		}
	}
	return fmt.Errorf("cluster %s has no node %q", p.options.Name, node)
}
