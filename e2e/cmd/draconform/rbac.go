// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
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
		Short: "Print the roles with the rights that a run with driver files needs",
		Long: `Print the roles with the rights that a run with driver files needs in a cluster, as
YAML. Driver files add what they allow a run to do with the driver.

In a given namespace a run needs few rights on the rest of the cluster. Without
--namespace it creates a namespace, which can have no roles before it exists: the
rights on pods and claims are then for all namespaces.`,
		Example: `  draconform rbac --driver my-driver.yaml --namespace dra-tests
  draconform rbac --driver my-driver.yaml --service-account ci/runner | kubectl apply -f -`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
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
	f.StringVar(&r.Namespace, "namespace", "", "existing namespace for the specs (default one that the run creates)")
	f.BoolVar(&r.NodeAgent, "node-agent", false, "add the rights to install node agents")
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
