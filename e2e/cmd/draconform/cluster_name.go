// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/draconform/draconform/clusters/kind"
)

// nameFlag is the flag with the name of a cluster. All commands about a cluster
// also take the name as an argument.
const nameFlag = "name"

// kubeconfigFlag is the flag with the file that has the context of a cluster.
const kubeconfigFlag = "kubeconfig"

// addClusterKubeconfig lets a command find the context of a cluster in another file than
// that of kubectl.
func addClusterKubeconfig(cmd *cobra.Command, what string) {
	cmd.Flags().String(kubeconfigFlag, "", what)
}

// addClusterName lets a command take the name of a cluster, as its only argument
// or by a flag.
func addClusterName(cmd *cobra.Command, name *string) {
	cmd.Use += " [NAME]"
	cmd.Flags().StringVar(name, nameFlag, kind.DefaultName, "name of the cluster, as the argument")
	_ = cmd.RegisterFlagCompletionFunc(nameFlag, clusterNames)
	cmd.ValidArgsFunction = func(cmd *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return clusterNames(cmd, args, "")
	}
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		if len(args) > 1 {
			return usageError(fmt.Errorf("%q takes the name of a cluster, see \"%s --help\"", cmd.CommandPath(), cmd.CommandPath()))
		}
		return setClusterName(cmd, name, args)
	}
}

// setClusterName takes the name from the first argument, if there is one.
func setClusterName(cmd *cobra.Command, name *string, args []string) error {
	if len(args) == 0 {
		return nil
	}
	if cmd.Flags().Changed(nameFlag) && *name != args[0] {
		return usageError(fmt.Errorf("the cluster is named twice: %q and --name %q", args[0], *name))
	}
	*name = args[0]
	return nil
}

// requireClusterName lets a command take the name of a cluster, which has no
// default, before further arguments. The last argument is what they are.
func requireClusterName(cmd *cobra.Command, name *string, least, most int, what string) {
	cmd.Flags().StringVar(name, nameFlag, "", "name of the cluster, instead of the argument")
	_ = cmd.RegisterFlagCompletionFunc(nameFlag, clusterNames)
	cmd.ValidArgsFunction = completeClusters
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		if !cmd.Flags().Changed(nameFlag) && len(args) > 0 {
			*name, args = args[0], args[1:]
		}
		if *name == "" || len(args) < least || most >= 0 && len(args) > most {
			return usageError(fmt.Errorf("%q takes %s, see \"%s --help\"", cmd.CommandPath(), what, cmd.CommandPath()))
		}
		return nil
	}
}

// afterName returns the arguments after the name of a cluster.
func afterName(cmd *cobra.Command, args []string) []string {
	if cmd.Flags().Changed(nameFlag) {
		return args
	}
	return args[1:]
}
