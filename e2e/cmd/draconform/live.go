// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"
	"k8s.io/client-go/kubernetes"

	"github.com/draconform/draconform/allocator/state"
	"github.com/draconform/draconform/clusters/existing"
	"github.com/draconform/draconform/e2e/diagnose"
)

// addContext adds the flags that select an existing cluster.
func addContext(cmd *cobra.Command, kubeconfig, contextName *string) {
	cmd.Flags().StringVar(kubeconfig, "kubeconfig", "", "kubeconfig of the cluster (default as kubectl)")
	cmd.Flags().StringVar(contextName, "context", "", "context of the cluster (default the current one)")
	_ = cmd.MarkFlagFilename("kubeconfig")
}

// connectTo returns a client of the cluster of a kubeconfig's context, and the namespace of the context. The API server
// has responded.
func connectTo(ctx context.Context, kubeconfig, contextName string) (client kubernetes.Interface, namespace string, err error) {
	cluster, err := existing.New(kubeconfig, contextName)
	if err != nil {
		return nil, "", usageError(err)
	}
	if _, err := cluster.Create(ctx); err != nil {
		return nil, "", err
	}
	client, err = kubernetes.NewForConfig(cluster.KubernetesRestConfig())
	if err != nil {
		return nil, "", fmt.Errorf("connect to the cluster %s: %w", cluster.Name(), err)
	}
	return client, cluster.Namespace(), nil
}

// addLive adds the objects of a cluster, except those that are already present.
// It only lists objects.
func addLive(ctx context.Context, kubeconfig, contextName string, objects *state.Objects) (notes []string, err error) {
	client, _, err := connectTo(ctx, kubeconfig, contextName)
	if err != nil {
		return nil, err
	}
	return diagnose.List(ctx, client, objects)
}
