package kind

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
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
