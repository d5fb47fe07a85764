// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/draconform/draconform/e2e/internal/access"
	"github.com/draconform/draconform/e2e/subject/driverfile"
)

// errUngranted states that a run did what its roles do not permit. The output
// already reports it.
var errUngranted = fmt.Errorf("the roles do not have all rights that were used: %w", errReported)

// errNoAccount states that it is not known whose requests are those of a run.
var errNoAccount = usageError(errors.New("--service-account is not set: it is the user of the run"))

// newRBACPolicy returns a hidden command for developers of the repository.
func newRBACPolicy() *cobra.Command {
	var accounts []string
	cmd := &cobra.Command{
		Use:    "audit-policy",
		Short:  "Print the audit policy of an API server whose log \"compare\" reads",
		Hidden: true,
		Args:   noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if len(accounts) == 0 {
				return errNoAccount
			}
			var users []string
			for _, text := range accounts {
				account, err := requiredAccount(text)
				if err != nil {
					return err
				}
				users = append(users, account.User())
			}
			content, err := access.AuditPolicy(users...)
			if err != nil {
				return err
			}
			_, err = cmd.OutOrStdout().Write(content)
			return err
		},
	}
	cmd.Flags().StringArrayVar(&accounts, "service-account", nil, "service account of a run, as namespace/name; repeat it for several runs")
	return cmd
}

// newRBACCompare returns a hidden command for developers of the repository.
func newRBACCompare() *cobra.Command {
	var files []string
	var account string
	var r access.Run
	cmd := &cobra.Command{
		Use:   "compare AUDIT-LOG",
		Short: "Compare the rights of a run with what it did",
		Long: `Compare the rights that a run needs, as "rbac" prints them, with an audit log of the
API server. The flags are those of "rbac".

Rights that were not used are listed: specs that did not run may need them.

Exit status: 0 if the roles permit every request of the service account; 1 if they
do not, or if the log has none; 2 if flags or files are invalid.`,
		Hidden: true,
		Args:   oneArg("an audit log"),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if r.Drivers, err = driverfile.Read(files...); err != nil {
				return usageError(err)
			}
			of, err := requiredAccount(account)
			if err != nil {
				return err
			}
			log, err := os.Open(args[0])
			if err != nil {
				return usageError(fmt.Errorf("read the audit log: %w", err))
			}
			defer func() { _ = log.Close() }()
			requests, err := access.ReadAuditLog(log, of.User())
			if err != nil {
				return usageError(err)
			}
			return compareRights(cmd.OutOrStdout(), r.Rights(), requests, of.User())
		},
	}
	f := cmd.Flags()
	f.StringArrayVar(&files, "driver", nil, "driver file of the run; repeat it for several drivers")
	f.StringVarP(&r.Namespace, "namespace", "n", "", "existing namespace for the specs (default one that the run creates)")
	f.BoolVar(&r.NodeAgent, "node-agent", false, "add the rights to install node agents")
	f.StringVar(&account, "service-account", "", "service account of the run, as namespace/name")
	return cmd
}

// requiredAccount parses the flag --service-account.
func requiredAccount(text string) (access.Account, error) {
	account, err := parseAccount(text)
	switch {
	case err != nil:
		return access.Account{}, usageError(err)
	case account == nil:
		return access.Account{}, errNoAccount
	}
	return *account, nil
}

// compareRights prints which requests no right permits, and which rights were not
// used. It returns an error if there are such requests, or none at all.
func compareRights(out io.Writer, rights []access.Right, requests []access.Request, user string) error {
	if len(requests) == 0 {
		return fmt.Errorf("the audit log has no request of %s: was it the user of the run, and does the policy log its requests?", user)
	}
	missing, unused := access.Compare(rights, requests)
	for _, request := range missing {
		fmt.Fprintf(out, "not granted, and used: %s\n", request)
	}
	for _, right := range unused {
		optional := ""
		if right.Optional {
			optional = ", optional"
		}
		fmt.Fprintf(out, "granted, and not used: %s (to %s%s)\n", right, right.For, optional)
	}
	fmt.Fprintf(out, "%d rights, %d different requests: %d not granted, %d rights not used\n", len(rights), len(requests), len(missing), len(unused))
	if len(missing) > 0 {
		return errUngranted
	}
	return nil
}
