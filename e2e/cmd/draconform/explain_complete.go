// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/spf13/cobra"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/draconform/draconform/clusters/engine"
)

// completionTimeout bounds the wait for a cluster while the user types.
const completionTimeout = 3 * time.Second

// complete completes names that a cluster lists. Without the cluster, there are none.
func (f *liveFlags) complete(cmd *cobra.Command, names func(context.Context, kubernetes.Interface) []string) ([]cobra.Completion, cobra.ShellCompDirective) {
	ctx, cancel := context.WithTimeout(cmd.Context(), completionTimeout)
	defer cancel()
	client, namespace, err := f.connect(ctx, f.kubeconfig, f.context)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	f.namespace = cmp.Or(f.namespace, namespace, metav1.NamespaceDefault)
	found := names(ctx, client)
	slices.Sort(found)
	return slices.Compact(found), cobra.ShellCompDirectiveNoFileComp
}

func (f *liveFlags) completePods(cmd *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return f.complete(cmd, func(ctx context.Context, client kubernetes.Interface) (names []string) {
		if list, err := client.CoreV1().Pods(f.namespace).List(ctx, metav1.ListOptions{}); err == nil {
			names = namesOf(list.Items)
		}
		return names
	})
}

func (f *liveFlags) completeNodes(cmd *cobra.Command, _ []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return f.complete(cmd, func(ctx context.Context, client kubernetes.Interface) (names []string) {
		if list, err := client.CoreV1().Nodes().List(ctx, metav1.ListOptions{}); err == nil {
			names = namesOf(list.Items)
		}
		return names
	})
}

func (f *liveFlags) completeNamespaces(cmd *cobra.Command, _ []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return f.complete(cmd, func(ctx context.Context, client kubernetes.Interface) (names []string) {
		if list, err := client.CoreV1().Namespaces().List(ctx, metav1.ListOptions{}); err == nil {
			names = namesOf(list.Items)
		}
		return names
	})
}

// completeSlices completes names that are in ResourceSlices.
func (f *liveFlags) completeSlices(name func(driver, pool string) string) cobra.CompletionFunc {
	return func(cmd *cobra.Command, _ []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
		return f.complete(cmd, func(ctx context.Context, client kubernetes.Interface) (names []string) {
			list, err := client.ResourceV1().ResourceSlices().List(ctx, metav1.ListOptions{})
			if err != nil {
				return nil
			}
			for i := range list.Items {
				names = append(names, name(list.Items[i].Spec.Driver, list.Items[i].Spec.Pool.Name))
			}
			return names
		})
	}
}

// completeJobs completes the Jobs of runs, in all namespaces unless one is given.
func completeJobs(cmd *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return ofCluster(cmd).complete(cmd, func(ctx context.Context, client kubernetes.Interface) (names []string) {
		namespace := cmd.Flags().Lookup("namespace").Value.String()
		if list, err := client.BatchV1().Jobs(namespace).List(ctx, metav1.ListOptions{LabelSelector: engine.RunLabel}); err == nil {
			names = namesOf(list.Items)
		}
		return names
	})
}

// runsIn returns the runs that have namespaces in a cluster.
func runsIn(ctx context.Context, client kubernetes.Interface) (runs []string) {
	list, err := client.CoreV1().Namespaces().List(ctx, metav1.ListOptions{LabelSelector: engine.RunLabel})
	if err != nil {
		return nil
	}
	for i := range list.Items {
		runs = append(runs, list.Items[i].Labels[engine.RunLabel])
	}
	return runs
}

// namesOf returns the names of objects.
func namesOf[T any, P interface {
	*T
	metav1.Object
}](items []T) []string {
	var names []string
	for i := range items {
		names = append(names, P(&items[i]).GetName())
	}
	return names
}
