// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/draconform/draconform/e2e/internal/access"
	"github.com/draconform/draconform/e2e/subject/driverfile"
)

func newRBAC() *cobra.Command {
	var files []string
	var r access.Run
	var name, account string
	cmd := &cobra.Command{
		Use:   "rbac",
		Short: "Print the roles with the rights that a run needs in an existing cluster",
		Long: `Print the roles with the rights that a run with driver files needs in an existing
cluster, as YAML. Driver files add what they allow a run to do with the driver.

In a given namespace a run needs few rights on the rest of the cluster. Without
--namespace it creates a namespace, which can have no roles before it exists: the
rights on pods and claims are then for all namespaces.

With --fakes, the rights are those of a run without driver files. It installs the
fake drivers, which includes the right to create ClusterRoles. With --clean, they are
those of "draconform clean --provider existing".`,
		Example: `  draconform rbac --driver my-driver.yaml --namespace dra-tests
  draconform rbac --driver my-driver.yaml --service-account ci/runner | kubectl apply -f -
  draconform rbac --clean --namespace dra-tests`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			if r.Clean && (len(files) > 0 || r.Fakes || r.NodeAgent || r.SimulateNodes) {
				return usageError(errors.New("--clean prints the rights of another command than a run: leave out the flags of runs"))
			}
			if r.Fakes && (len(files) > 0 || r.Namespace != "") || r.SimulateNodes && !r.Fakes {
				return usageError(errors.New("--fakes is for runs without --driver and --namespace, and --simulate-nodes only for these"))
			}
			if r.Drivers, err = driverfile.Read(files...); err != nil {
				return usageError(err)
			}
			bound, err := parseAccount(account)
			if err != nil {
				return usageError(err)
			}
			content, err := r.Manifest(name, bound)
			if err != nil {
				return err
			}
			_, err = cmd.OutOrStdout().Write(content)
			return err
		},
	}
	f := cmd.Flags()
	f.StringArrayVar(&files, "driver", nil, "driver file of the run; repeat it for several drivers")
	f.StringVarP(&r.Namespace, "namespace", "n", "", "existing namespace for the specs (default one that the run creates)")
	f.BoolVar(&r.NodeAgent, "node-agent", false, "add the rights to install node agents")
	f.BoolVar(&r.Fakes, "fakes", false, "print the rights of a run without driver files")
	f.BoolVar(&r.Clean, "clean", false, "print the rights of \"draconform clean --provider existing\"")
	f.BoolVar(&r.SimulateNodes, "simulate-nodes", false, "add the rights of a run with --simulate-nodes")
	f.StringVar(&name, "name", "draconform", "name of the roles and bindings")
	f.StringVar(&account, "service-account", "", "service account, as namespace/name, that the roles are bound to (default no bindings)")
	cmd.AddCommand(newRBACPolicy(), newRBACCompare())
	return cmd
}

// parseAccount returns a service account, or nil for an empty text.
func parseAccount(text string) (*access.Account, error) {
	if text == "" {
		return nil, nil
	}
	namespace, name, ok := strings.Cut(text, "/")
	if !ok || namespace == "" || name == "" || strings.Contains(name, "/") {
		return nil, fmt.Errorf("service account %q is not of the form namespace/name", text)
	}
	return &access.Account{Namespace: namespace, Name: name}, nil
}
