// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package namespaces

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"

	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// CleanUp deletes the objects of the spec. It does not wait until the namespace
// is removed, because that takes a while and does not affect the next spec.
// [WaitForDeleted] waits for all namespaces at the end. The namespace of a guest
// stays for the next spec.
func CleanUp(ctx context.Context, e *env.Env) error {
	err := errors.Join(deletePodsAndClaims(ctx, contentOf(e)), claims.DeleteDeviceClasses(ctx, e))
	for _, cleanup := range e.Cleanups {
		err = errors.Join(err, cleanup(ctx))
	}
	if e.Guest != nil {
		return errors.Join(err, deleteTemplates(ctx, e.Client, e.Namespace, e.Selector()))
	}
	return errors.Join(err, remove(ctx, e))
}

// remove deletes the namespace of the environment unless it stays.
func remove(ctx context.Context, e *env.Env) error {
	if e.KeepsNamespace {
		return nil
	}
	err := e.Client.CoreV1().Namespaces().Delete(ctx, e.Namespace, metav1.DeleteOptions{})
	if err != nil && !apierrors.IsNotFound(err) {
		return fmt.Errorf("delete namespace %s: %w", e.Namespace, err)
	}
	return nil
}

// contentOf returns an environment that owns what the cleanup must delete: all objects
// of a namespace of the spec that stays, and otherwise those with the labels of the run.
func contentOf(e *env.Env) *env.Env {
	if !e.KeepsNamespace || e.Guest != nil {
		return e
	}
	all := *e
	all.Labels = nil
	return &all
}

// WaitForDeleted waits until the namespaces of all specs are removed. Its error
// lists the content of the remaining ones.
func WaitForDeleted(ctx context.Context, client kubernetes.Interface, names []string, timeout time.Duration) error {
	remaining := names
	err := wait.PollUntilContextTimeout(ctx, env.PollInterval, timeout, true, func(ctx context.Context) (bool, error) {
		// A run may have hundreds of them. Requests for all in each poll would keep the
		// API server from removing them.
		for len(remaining) > 0 {
			_, err := client.CoreV1().Namespaces().Get(ctx, remaining[0], metav1.GetOptions{})
			if !apierrors.IsNotFound(err) {
				return false, err
			}
			remaining = remaining[1:]
		}
		return true, nil
	})
	if err != nil {
		return fmt.Errorf("wait until the namespaces of the specs are removed, for %s: %w", timeout.Round(time.Second), errors.Join(describeAll(ctx, client, remaining), err))
	}
	return nil
}

// describeAll describes the namespaces that still exist, up to the first one that cannot be
// read.
func describeAll(ctx context.Context, client kubernetes.Interface, names []string) error {
	var errs []error
	for _, name := range names {
		ns, err := client.CoreV1().Namespaces().Get(ctx, name, metav1.GetOptions{})
		switch {
		case apierrors.IsNotFound(err):
		case err != nil:
			return errors.Join(append(errs, fmt.Errorf("namespace %s: %w", name, err))...)
		default:
			errs = append(errs, describe(ns))
		}
	}
	return errors.Join(errs...)
}

func describe(ns *corev1.Namespace) error {
	texts := []string{"namespace " + ns.Name}
	for _, c := range ns.Status.Conditions {
		if c.Status == corev1.ConditionTrue {
			texts = append(texts, c.Message)
		}
	}
	return errors.New(strings.Join(texts, "; "))
}

// deletePodsAndClaims deletes the spec's pods, then its claims. It waits until
// they are removed, because they hold devices. Its error lists those that
// remain.
func deletePodsAndClaims(ctx context.Context, e *env.Env) error {
	podList, err := e.Client.CoreV1().Pods(e.Namespace).List(ctx, e.Selector())
	if err != nil {
		return fmt.Errorf("list the pods of namespace %s: %w", e.Namespace, err)
	}
	var names []string
	for _, pod := range podList.Items {
		names = append(names, pod.Name)
		if err := e.Client.CoreV1().Pods(e.Namespace).Delete(ctx, pod.Name, pods.DeleteOptions(e)); err != nil && !apierrors.IsNotFound(err) {
			return fmt.Errorf("delete pod %s: %w", pod.Name, err)
		}
	}
	if err := poll(ctx, e, func() error { return pods.CheckDeleted(ctx, e, names) }); err != nil {
		return err
	}
	claimList, err := pods.ListClaims(ctx, e, podList.Items)
	if apierrors.IsNotFound(err) {
		return nil // A legacy release has other versions of the API only.
	}
	if err != nil {
		return err
	}
	var claimNames []string
	for _, claim := range claimList {
		claimNames = append(claimNames, claim.Name)
		if err := e.Client.ResourceV1().ResourceClaims(e.Namespace).Delete(ctx, claim.Name, metav1.DeleteOptions{}); err != nil && !apierrors.IsNotFound(err) {
			return fmt.Errorf("delete claim %s: %w", claim.Name, err)
		}
	}
	return poll(ctx, e, func() error { return claims.CheckDeleted(ctx, e, claimNames...) })
}

// poll waits until remaining returns nil. After Timeouts.Deletion it returns an
// error with the last result.
func poll(ctx context.Context, e *env.Env, remaining func() error) error {
	var last error
	err := wait.PollUntilContextTimeout(ctx, env.PollInterval, e.Timeouts.Deletion, true, func(context.Context) (bool, error) {
		last = remaining()
		return last == nil, nil
	})
	if err != nil {
		return fmt.Errorf("wait until the objects of the spec are removed, for %s: %w", e.Timeouts.Deletion, errors.Join(last, err))
	}
	return nil
}
