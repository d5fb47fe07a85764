// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package kind

import (
	"context"
	"fmt"
	"strings"
)

// KillContainer kills the process of a container on a node with SIGKILL. The id
// has the form of a pod's status: containerd://0123abc. The kubelet restarts
// the container if the pod's restart policy requires it.
func (p *Provider) KillContainer(ctx context.Context, node, id string) error {
	if err := p.checkNode(ctx, node); err != nil {
		return err
	}
	_, task, ok := strings.Cut(id, "://")
	if !ok || task == "" {
		return fmt.Errorf("kill container %q on node %s: its id should have a form like containerd://0123abc", id, node)
	}
	if _, err := p.engine.Output(ctx, "exec", node, "ctr", "--namespace", "k8s.io", "tasks", "kill", "--signal", "SIGKILL", task); err != nil {
		return fmt.Errorf("kill container %s on node %s: %w", id, node, err)
	}
	return nil
}
