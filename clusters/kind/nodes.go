// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package kind

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	"sigs.k8s.io/kind/pkg/cluster/nodes"
	"sigs.k8s.io/kind/pkg/cluster/nodeutils"
)

// waitReady waits until all nodes are ready. On a timeout, the error names the
// nodes that are not ready, their conditions, and the last lines of the logs of
// their kubelets.
func (p *Provider) waitReady(ctx context.Context) error {
	config, err := p.restConfig()
	if err != nil {
		return err
	}
	config.QPS, config.Burst = 50, 100 // Waiting sends many requests, and the limit would hide their errors.
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	waiting := map[string]string{}
	var lastErr error
	err = wait.PollUntilContextTimeout(ctx, 250*time.Millisecond, p.options.ReadyTimeout, true, func(ctx context.Context) (bool, error) {
		found, err := client.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
		if deadline, _ := ctx.Deadline(); err != nil && !time.Now().Before(deadline) && (lastErr != nil || len(waiting) > 0) {
			return false, nil //nolint:nilerr // The timeout says less than the answer before.
		}
		if lastErr = err; lastErr != nil {
			return false, nil //nolint:nilerr // The API server may still be starting.
		}
		waiting = notReady(found.Items)
		return len(waiting) == 0 && len(found.Items) == p.options.Workers+1, nil
	})
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return context.Cause(ctx) // the caller cancelled the wait
	}
	problems := []error{fmt.Errorf("wait for the nodes of cluster %s: %w", p.options.Name, errors.Join(err, lastErr))}
	for node, why := range waiting {
		problems = append(problems, fmt.Errorf("node %s is not ready: %s; last lines of its kubelet's log:\n%s", node, why, p.kubeletLog(ctx, node)))
	}
	return errors.Join(problems...)
}

// notReady maps the name of each node that is not ready to the message of its
// Ready condition. Pods cannot run yet on a node that is ready and keeps a taint of
// the time before.
func notReady(all []corev1.Node) map[string]string {
	waiting := map[string]string{}
	for _, n := range all {
		i := slices.IndexFunc(n.Status.Conditions, func(c corev1.NodeCondition) bool { return c.Type == corev1.NodeReady })
		switch {
		case i < 0:
			waiting[n.Name] = "its kubelet has not reported"
		case n.Status.Conditions[i].Status != corev1.ConditionTrue:
			waiting[n.Name] = n.Status.Conditions[i].Message
		default:
			if i := slices.IndexFunc(n.Spec.Taints, untilReady); i >= 0 {
				waiting[n.Name] = "it still has the taint " + n.Spec.Taints[i].Key
			}
		}
	}
	return waiting
}

// untilReady reports whether controllers remove a taint soon after the node is ready.
func untilReady(t corev1.Taint) bool {
	return slices.Contains([]string{corev1.TaintNodeNotReady, corev1.TaintNodeUnreachable, corev1.TaintNodeNetworkUnavailable}, t.Key)
}

// kubeletLog returns the last lines of a node's kubelet log. If the node's
// container does not run, for example because the host has no inotify instance
// left for its init process, it returns the last lines of the container's log.
func (p *Provider) kubeletLog(ctx context.Context, node string) string {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	out, err := p.engine.Output(ctx, "exec", node, "journalctl", "--no-pager", "--unit", "kubelet", "--lines", "15", "--output", "cat")
	if err == nil {
		return out
	}
	if out, logsErr := p.engine.Output(ctx, "logs", "--tail", "5", node); logsErr == nil {
		return err.Error() + "\n" + out
	}
	return err.Error()
}

// loadArchive imports an image archive into all nodes in parallel.
func (p *Provider) loadArchive(ctx context.Context, open func() (*os.File, error)) error {
	all, err := p.kind(nil).ListInternalNodes(p.options.Name)
	if err != nil {
		return fmt.Errorf("list the nodes of cluster %s: %w", p.options.Name, withOutput(err))
	}
	if len(all) == 0 {
		return fmt.Errorf("cluster %s has no nodes", p.options.Name)
	}
	return load(ctx, all, open)
}

// load imports an image archive into nodes in parallel.
func load(ctx context.Context, into []nodes.Node, open func() (*os.File, error)) error {
	group, ctx := errgroup.WithContext(ctx)
	for _, node := range into {
		group.Go(func() error {
			if err := ctx.Err(); err != nil {
				return err
			}
			archive, err := open()
			if err != nil {
				return err
			}
			defer func() { _ = archive.Close() }()
			if err := nodeutils.LoadImageArchive(node, archive); err != nil {
				return fmt.Errorf("load images into node %s: %w", node, withOutput(err))
			}
			return nil
		})
	}
	return group.Wait()
}

// ExportLogs writes the logs of the nodes, their containers and their services
// into a folder. kind does not accept a context. If the context ends, kind still
// writes to the folder until its commands end, at the latest when the containers are
// removed.
func (p *Provider) ExportLogs(ctx context.Context, dest string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	done := make(chan error, 1)
	go func() { done <- p.kind(nil).CollectLogs(p.options.Name, filepath.Clean(dest)) }()
	select {
	case err := <-done:
		if err != nil {
			return fmt.Errorf("collect the logs of cluster %s: %w", p.options.Name, withOutput(err))
		}
		return nil
	case <-ctx.Done():
		return fmt.Errorf("collect the logs of cluster %s: %w", p.options.Name, context.Cause(ctx))
	}
}

// firstWords returns a status line of kind without its decoration.
func firstWords(message string) string {
	words := strings.FieldsFunc(message, func(r rune) bool { return r < ' ' || r > '~' })
	text := strings.TrimSpace(strings.Join(words, ""))
	return strings.TrimSpace(strings.TrimSuffix(strings.TrimPrefix(text, "*"), " ..."))
}
