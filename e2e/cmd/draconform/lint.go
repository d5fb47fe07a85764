// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/draconform/draconform/allocator/lint"
	"github.com/draconform/draconform/allocator/state"
)

// errFindings states that lint has findings. The output already reports them.
var errFindings = fmt.Errorf("lint has findings: %w", errReported)

func newLint() *cobra.Command {
	var files []string
	var output string
	var strict, list bool
	cmd := &cobra.Command{
		Use:   "lint -f FILES",
		Short: "Check ResourceSlices, DeviceClasses, ResourceClaims and their templates in files",
		Long: `Check ResourceSlices, DeviceClasses, ResourceClaims and ResourceClaimTemplates in
files, without a cluster: for violations of the API and of the requirements of the
allocator (errors), and for valid but surprising content (warnings). The versions
v1, v1beta2 and v1beta1 of resource.k8s.io are read. Other objects are ignored.

Exit status: 0 without errors; 1 with errors, and with --strict with warnings too;
2 if flags, arguments or files are invalid.`,
		Example: `  draconform lint -f slices.yaml
  draconform lint -f driver/ -f classes.yaml --strict
  kubectl get resourceslices,deviceclasses -o yaml | draconform lint -f - -o json
  draconform lint --rules`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if list {
				return printRules(cmd, output)
			}
			objects, err := readObjects(cmd, files, true)
			if err != nil {
				return err
			}
			findings, err := lint.Check(cmd.Context(), objects)
			if err != nil {
				return err
			}
			return printFindings(cmd, findings, output, strict)
		},
	}
	addFiles(cmd, &files)
	addFormat(cmd, &output)
	cmd.Flags().BoolVar(&strict, "strict", false, "fail for warnings, too")
	cmd.Flags().BoolVar(&list, "rules", false, "only print the rules")
	return cmd
}

// addFiles adds the flag for the files that objects are read from.
func addFiles(cmd *cobra.Command, files *[]string) {
	cmd.Flags().StringArrayVarP(files, "filename", "f", nil, "YAML or JSON file, folder of such files, or - for standard input; may be repeated")
}

// readObjects reads the files. It includes templates if templates is set. Input
// that cannot be parsed is a usage error.
func readObjects(cmd *cobra.Command, files []string, templates bool) (*state.Objects, error) {
	if len(files) == 0 {
		return nil, usageError(errors.New("no files, use -f"))
	}
	objects, err := state.Read(files, cmd.InOrStdin())
	if err != nil {
		return nil, usageError(err)
	}
	ignored := objects.Ignored
	if !templates && len(objects.Templates) > 0 {
		ignored = append(ignored, "ResourceClaimTemplate")
	}
	if len(ignored) > 0 {
		fmt.Fprintf(cmd.ErrOrStderr(), "draconform: ignored: %s\n", strings.Join(ignored, ", "))
	}
	if objects.Empty() {
		return nil, usageError(fmt.Errorf("%s: no ResourceSlice, DeviceClass, ResourceClaim, ResourceClaimTemplate or Node", strings.Join(files, ", ")))
	}
	return objects, nil
}

func printRules(cmd *cobra.Command, output string) error {
	if done, err := printStructured(cmd, output, lint.Rules()); done {
		return err
	}
	w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "RULE\tSEVERITY\tDESCRIPTION")
	for _, rule := range lint.Rules() {
		fmt.Fprintf(w, "%s\t%s\t%s\n", rule.ID, rule.Severity, rule.Sentence)
	}
	return w.Flush()
}

// printFindings returns errFindings if there are errors, or warnings in strict
// mode.
func printFindings(cmd *cobra.Command, findings []lint.Finding, output string, strict bool) error {
	errs := 0
	for i := range findings {
		if findings[i].Severity == lint.Error {
			errs++
		}
	}
	warnings := len(findings) - errs
	done, err := printStructured(cmd, output, findings)
	if err != nil {
		return err
	}
	if !done {
		for i := range findings {
			fmt.Fprintln(cmd.OutOrStdout(), findings[i])
		}
		if len(findings) > 0 {
			fmt.Fprintf(cmd.OutOrStdout(), "%d errors, %d warnings\n", errs, warnings)
		}
	}
	if errs > 0 || strict && warnings > 0 {
		return errFindings
	}
	return nil
}
