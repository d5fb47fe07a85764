package kind

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
)

// serviceTimeout is how long a node's services may take to come up again.
const serviceTimeout = time.Minute

// RestartKubelet restarts the kubelet of a node, without warning, and returns
// when its new process answers. Containers go on while it is away.
func (p *Provider) RestartKubelet(ctx context.Context, node string) error {
	if err := p.isMine(ctx, node); err != nil {
		return err
	}
	if _, err := p.engine.Output(ctx, "exec", node, "systemctl", "kill", "--signal=SIGKILL", "kubelet"); err != nil {
		return fmt.Errorf("kill the kubelet of node %s: %w", node, err)
	}
	if _, err := p.engine.Output(ctx, "exec", node, "systemctl", "restart", "kubelet"); err != nil {
		return fmt.Errorf("start the kubelet of node %s: %w", node, err)
	}
	return p.waitForKubelet(ctx, node)
}

// RestartNode stops a node, with everything on it, starts it again and returns
// when its kubelet answers. What was in memory is lost, /run for example; its
// pods start anew, unless they are not to be restarted.
func (p *Provider) RestartNode(ctx context.Context, node string) error {
	if err := p.isMine(ctx, node); err != nil {
		return err
	}
	// A node that loses its power is not asked either.
	if _, err := p.engine.Output(ctx, "restart", "-t", "0", node); err != nil {
		return fmt.Errorf("restart node %s: %w", node, err)
	}
	return p.waitForKubelet(ctx, node)
}

// RestartScheduler ends the scheduler of the cluster, which may finish what it is
// at, and returns when its next process leads.
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
	if err := p.isMine(ctx, node); err != nil {
		return err
	}
	before, err := leader(ctx, client)
	if err != nil {
		return err
	}
	// No other process on the node has such a name. It is asked to end; the
	// kubelet starts its container again.
	if _, err := p.engine.Output(ctx, "exec", node, "pkill", "--signal", "TERM", "--exact", "kube-scheduler|draconform-sche"); err != nil {
		return fmt.Errorf("stop the scheduler of node %s: %w", node, err)
	}
	return waitForLeader(ctx, client, before)
}

// waitForLeader waits until another scheduler leads than before.
func waitForLeader(ctx context.Context, client kubernetes.Interface, before string) error {
	ctx, cancel := context.WithTimeoutCause(ctx, schedulerTimeout, fmt.Errorf("not so for %s", schedulerTimeout))
	defer cancel()
	last := errors.New("there was no time to look")
	err := wait.PollUntilContextCancel(ctx, 250*time.Millisecond, true, func(ctx context.Context) (bool, error) {
		err := leadsAnew(ctx, client, before)
		if ctx.Err() == nil {
			last = err
		}
		return err == nil, nil
	})
	if err != nil {
		return fmt.Errorf("wait until another scheduler leads than %s: %w: %w", before, context.Cause(ctx), last)
	}
	return nil
}

// waitForKubelet asks the kubelet on the node itself, because the API server
// takes a while to notice that a node was away.
func (p *Provider) waitForKubelet(ctx context.Context, node string) error {
	ctx, cancel := context.WithTimeoutCause(ctx, serviceTimeout, fmt.Errorf("it does not answer for %s", serviceTimeout))
	defer cancel()
	last := errors.New("there was no time to ask")
	err := wait.PollUntilContextCancel(ctx, 250*time.Millisecond, true, func(ctx context.Context) (bool, error) {
		_, err := p.engine.Output(ctx, "exec", node, "curl", "--silent", "--fail", "--max-time", "2", "http://127.0.0.1:10248/healthz")
		if ctx.Err() == nil && err != nil {
			last = err
		}
		return err == nil, nil
	})
	if err != nil {
		return fmt.Errorf("wait for the kubelet of node %s: %w: %w; its last lines:\n%s", node, context.Cause(ctx), last, p.kubeletLog(ctx, node))
	}
	return nil
}

// isMine makes sure that a container is a node of this cluster.
func (p *Provider) isMine(ctx context.Context, node string) error {
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
