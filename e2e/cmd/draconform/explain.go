// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/draconform/draconform/e2e/diagnose"
)

// connector returns a client of a cluster and the namespace of its context.
type connector func(ctx context.Context, kubeconfig, contextName string) (kubernetes.Interface, string, error)

// liveFlags are the flags of commands that only read a cluster.
type liveFlags struct {
	kubeconfig, context string
	namespace           string
	gates, output       string
	connect             connector
}

func (f *liveFlags) add(cmd *cobra.Command) {
	addContext(cmd, &f.kubeconfig, &f.context)
	cmd.Flags().StringVar(&f.gates, "gates", "", "DRA feature gates of the cluster: default, alpha, off, or a list such as alpha,DRAAdminAccess=false "+
		"(default what the API server's metrics report, or else the defaults of its release)")
	completeGates(cmd)
	addFormat(cmd, &f.output)
	_ = cmd.RegisterFlagCompletionFunc("node", f.completeNodes)
}

// read reads the cluster, and the namespace if none is given.
func (f *liveFlags) read(cmd *cobra.Command) (*diagnose.Cluster, error) {
	client, namespace, err := f.connect(cmd.Context(), f.kubeconfig, f.context)
	if err != nil {
		return nil, err
	}
	f.namespace = cmp.Or(f.namespace, namespace, metav1.NamespaceDefault)
	cluster, err := diagnose.Read(cmd.Context(), client, f.gates)
	if errors.Is(err, diagnose.ErrGates) {
		return nil, usageError(err)
	}
	return cluster, err
}

// print prints a value as JSON or YAML, or its text.
func (f *liveFlags) print(cmd *cobra.Command, value any, text string) error {
	if done, err := printStructured(cmd, f.output, value); done {
		return err
	}
	_, err := fmt.Fprint(cmd.OutOrStdout(), text)
	return err
}

func newExplain(connect connector) *cobra.Command {
	cmd := &cobra.Command{Use: "explain", Short: "Explain why something in a cluster waits for devices", Args: noArgs, RunE: printHelp}
	cmd.AddCommand(newExplainPod(connect))
	return cmd
}

func newExplainPod(connect connector) *cobra.Command {
	f := liveFlags{connect: connect}
	var node string
	cmd := &cobra.Command{
		Use:   "pod NAME",
		Short: "Explain why a pod is pending",
		Long: `Explain why a pod is pending: which devices its claims need, and for each node why it
does not have them, which claims hold them, and a picture of the counters of
partitionable devices. If the reason is another one than devices, it says so: scheduling
gates, a claim, a template or a DeviceClass that does not exist, a claim that is
reserved for as many pods as possible, nodes that the pod may not go to, or a driver
that has not prepared the claims.

The cluster is only read, with the verbs get and list. Any cluster that serves
resource.k8s.io/v1 is suitable, which is Kubernetes 1.34 and later, with any drivers and
any scheduler. The allocator of draconform decides as that of Kubernetes does. CPU,
memory, volumes and topology spread are not regarded.

Exit status: 0 if there is an explanation, also if it is that the pod runs; 1 if the pod
does not exist or the cluster cannot be read; 2 if flags or arguments are invalid.`,
		Example: `  draconform explain pod train-0
  draconform explain pod train-0 -n team --node worker-1
  draconform explain pod train-0 -o json`,
		Args: oneArg("the name of a pod"),
		RunE: func(cmd *cobra.Command, args []string) error {
			cluster, err := f.read(cmd)
			if err != nil {
				return err
			}
			pod, err := cluster.Pod(cmd.Context(), f.namespace, args[0], node)
			if errors.Is(err, diagnose.ErrNoNode) {
				return usageError(err)
			}
			if err != nil {
				return err
			}
			return f.print(cmd, pod, pod.String())
		},
		ValidArgsFunction: f.completePods,
	}
	cmd.Flags().StringVarP(&f.namespace, "namespace", "n", "", "namespace of the pod (default that of the context)")
	cmd.Flags().StringVar(&node, "node", "", "only explain this node")
	f.add(cmd)
	_ = cmd.RegisterFlagCompletionFunc("namespace", f.completeNamespaces)
	return cmd
}
