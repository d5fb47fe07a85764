// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package client

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"

	"github.com/draconform/draconform/e2e/internal/ours"
)

// pollInterval is the interval between two checks while waiting.
const pollInterval = 500 * time.Millisecond

// Install creates the namespace and an agent on each of the nodes, and waits
// until all agents answer. Waiting ends with the context. The error then
// describes the pods that do not answer.
//
// Install returns an error without changing anything if the namespace exists
// and does not belong to the run. Otherwise, Remove removes what Install has
// created, also after an error.
func Install(ctx context.Context, client kubernetes.Interface, options Options, nodes ...string) (*Agents, error) {
	agents, err := Connect(client, options)
	if err != nil {
		return nil, err
	}
	if err := agents.createNamespace(ctx); err != nil {
		return nil, err
	}
	for _, node := range nodes {
		_, err := client.CoreV1().Pods(agents.options.Namespace).Create(ctx, agents.options.pod(node), metav1.CreateOptions{})
		if err != nil && !apierrors.IsAlreadyExists(err) {
			return nil, agents.options.explainRejection(node, err)
		}
	}
	group, groupCtx := errgroup.WithContext(ctx)
	for _, node := range nodes {
		group.Go(func() error { return agents.waitUntilReady(groupCtx, node) })
	}
	return agents, group.Wait()
}

// createNamespace creates the namespace and the Secret with a new token, unless
// the run has created them before. It waits for the service account that pods
// need, although the agents do not use it.
func (a *Agents) createNamespace(ctx context.Context) error {
	core, o := a.client.CoreV1(), a.options
	_, err := core.Namespaces().Create(ctx, o.namespace(), metav1.CreateOptions{})
	if apierrors.IsAlreadyExists(err) {
		var existing *corev1.Namespace
		if existing, err = core.Namespaces().Get(ctx, o.Namespace, metav1.GetOptions{}); err == nil {
			err = ours.Check(existing, o.RunID)
		}
	}
	if err != nil {
		return fmt.Errorf("create namespace %s for the node agents: %w", o.Namespace, err)
	}
	_, err = core.Secrets(o.Namespace).Create(ctx, o.secret(rand.Text()), metav1.CreateOptions{})
	if err != nil && !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("create the Secret with the token of the node agents: %w", err)
	}
	err = wait.PollUntilContextCancel(ctx, pollInterval, true, func(ctx context.Context) (bool, error) {
		_, err := core.ServiceAccounts(o.Namespace).Get(ctx, "default", metav1.GetOptions{})
		return err == nil, ignoreNotFound(err)
	})
	if err != nil {
		return fmt.Errorf("wait for the default service account of namespace %s: %w", o.Namespace, err)
	}
	return nil
}

// explainRejection explains why the API server rejects the pod for a node.
func (o Options) explainRejection(node string, err error) error {
	err = fmt.Errorf("create the node agent's pod for node %s in namespace %s: %w", node, o.Namespace, err)
	switch {
	case !apierrors.IsForbidden(err) && !apierrors.IsInvalid(err) && !apierrors.IsBadRequest(err):
		return err
	case strings.Contains(err.Error(), "cannot create resource"): // The authorizer's words. Admission has others.
		return err
	}
	return fmt.Errorf("%w; the pod runs as root and mounts directories of the node: allow that in namespace %s "+
		"(pod security level privileged, or an exemption from the cluster's admission policies), or run without --node-agent", err, o.Namespace)
}

// waitUntilReady waits until the agent on a node answers.
func (a *Agents) waitUntilReady(ctx context.Context, node string) error {
	last := errors.New("no request was sent")
	err := wait.PollUntilContextCancel(ctx, pollInterval, true, func(ctx context.Context) (bool, error) {
		if err := a.ping(ctx, node); err != nil {
			if ctx.Err() == nil {
				last = err
			}
			return false, nil
		}
		return true, nil
	})
	if err != nil {
		return fmt.Errorf("wait for the node agent on node %s: %w: %w%s", node, context.Cause(ctx), last, a.describe(ctx, node))
	}
	return nil
}

// describeTimeout limits the time to describe a pod. It starts when the context
// for waiting has ended.
const describeTimeout = 10 * time.Second

// describe describes the state of the agent's pod on a node.
func (a *Agents) describe(ctx context.Context, node string) string {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), describeTimeout)
	defer cancel()
	pod, err := a.client.CoreV1().Pods(a.options.Namespace).Get(ctx, podName(node), metav1.GetOptions{})
	if err != nil {
		return "\nno pod: " + err.Error()
	}
	state := []string{fmt.Sprintf("\npod %s/%s: %s", pod.Namespace, pod.Name, pod.Status.Phase), pod.Status.Message}
	for _, condition := range pod.Status.Conditions {
		if condition.Status != corev1.ConditionTrue {
			state = append(state, condition.Message)
		}
	}
	for _, container := range pod.Status.ContainerStatuses {
		if waiting := container.State.Waiting; waiting != nil {
			state = append(state, strings.TrimSpace(waiting.Reason+" "+waiting.Message))
		}
		if ended := container.LastTerminationState.Terminated; ended != nil {
			state = append(state, fmt.Sprintf("ended before with exit code %d (%s)", ended.ExitCode, ended.Reason))
		}
	}
	return strings.Join(nonEmpty(state), "; ")
}

func nonEmpty(all []string) []string {
	var out []string
	for _, s := range all {
		if s != "" {
			out = append(out, s)
		}
	}
	return out
}

// Remove removes the namespace of the agents with everything in it, and waits
// until it is gone. It is no error if it does not exist. A namespace that does
// not belong to the run is kept, with an error.
func Remove(ctx context.Context, client kubernetes.Interface, options Options) error {
	options, err := options.complete()
	if err != nil {
		return err
	}
	if err := ours.RemoveNamespace(ctx, client, options.Namespace, options.RunID); err != nil {
		return fmt.Errorf("remove the node agents: %w", err)
	}
	return nil
}

func ignoreNotFound(err error) error {
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}
