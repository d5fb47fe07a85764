// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"embed"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/draconform/draconform/hack/internal/foreign"
)

// policyFiles has a manifest for each fault of an API server: an admission policy
// that changes or rejects objects as the faulty API server would, and its
// binding. MutatingAdmissionPolicy is served by default since Kubernetes 1.36.
//
//go:embed policies/*.yaml
var policyFiles embed.FS

// Names of the policy that shows when policies are enforced, and of the ConfigMap that it
// changes.
const (
	probePolicy = "enforced"
	probeObject = "draconform-enforced"
)

// enforceTimeout bounds the wait until the API server has observed policies.
const enforceTimeout = 30 * time.Second

// policies returns the objects for faults of an API server. For any, they include
// the probe.
func policies(faults []string) ([]runtime.Object, error) {
	if len(faults) == 0 {
		return nil, nil
	}
	var all []runtime.Object
	for _, name := range append([]string{probePolicy}, faults...) {
		content, err := policyFiles.ReadFile("policies/" + name + ".yaml")
		if err != nil {
			return nil, fmt.Errorf("read the policy of fault %s: %w", name, err)
		}
		objects, err := foreign.Decode(content)
		if err != nil {
			return nil, fmt.Errorf("read the policy of fault %s: %w", name, err)
		}
		all = append(all, objects...)
	}
	return all, nil
}

// usePolicies implements target.
func (c *cluster) usePolicies(ctx context.Context, faults []string) error {
	task := c.Progress.Task("%d admission policies", len(faults))
	config, err := c.Provider.RESTConfig(ctx)
	if err == nil {
		c.enforced, err = replacePolicies(ctx, config, c.enforced, faults)
	}
	if err != nil {
		return task.Fail(err)
	}
	task.Done("enforced")
	return nil
}

// replacePolicies deletes policies and creates those of faults. It returns when
// the API server enforces these and no others.
func replacePolicies(ctx context.Context, config *rest.Config, old []runtime.Object, faults []string) ([]runtime.Object, error) {
	objects, err := policies(faults)
	if err != nil {
		return old, err
	}
	if err := foreign.Delete(ctx, config, old); err != nil {
		return old, err
	}
	// The old probe must be gone before the new one can show anything.
	if err := waitForProbe(ctx, config, false); err != nil {
		return old, err
	}
	if err := foreign.Create(ctx, config, objects); err != nil {
		return objects, err
	}
	return objects, waitForProbe(ctx, config, len(faults) > 0)
}

// waitForProbe waits until the API server enforces the policy of the probe, or
// does not enforce it. It then knows the other mutating policies, too. It learns
// of validating policies at the same time, and the first spec begins much later.
func waitForProbe(ctx context.Context, config *rest.Config, enforced bool) error {
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return fmt.Errorf("connect to the cluster: %w", err)
	}
	object := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: probeObject, Namespace: metav1.NamespaceDefault}}
	err = wait.PollUntilContextTimeout(ctx, 500*time.Millisecond, enforceTimeout, true, func(ctx context.Context) (bool, error) {
		stored, err := client.CoreV1().ConfigMaps(object.Namespace).Create(ctx, object, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
		return err == nil && (len(stored.Data) > 0) == enforced, err
	})
	if err != nil {
		return fmt.Errorf("wait until the admission policies are enforced: %w", err)
	}
	return nil
}
