// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/spf13/cobra"
	"k8s.io/client-go/kubernetes"

	"github.com/draconform/draconform/allocator/state"
	"github.com/draconform/draconform/clusters/existing"
	"github.com/draconform/draconform/e2e/subject/discover"
)

// initFlags are the flags of "driver init".
type initFlags struct {
	name                string
	kubeconfig, context string
	files               []string
	to                  string
}

func newDriverInit() *cobra.Command {
	var f initFlags
	cmd := &cobra.Command{
		Use:   "init",
		Short: "Write a first driver file from what a cluster shows of a driver",
		Long: `Write a first driver file from what a cluster shows of a driver.

The ResourceSlices, DeviceClasses, DaemonSets and Nodes of a cluster are listed, or
read from files with -f. Nothing is changed in the cluster. Each guess in the file
has a comment that states what it rests on. What a cluster does not show is left
out, with a comment about how to find out.

Exit status: 0 if a file was written; 1 if the cluster cannot be read; 2 if flags or
files are invalid, or if the driver is not found or has to be chosen.`,
		Example: `  draconform driver init > my-driver.yaml
  draconform driver init --name gpu.example.com --context my-cluster --output-file my-driver.yaml
  kubectl get resourceslices,deviceclasses,nodes,daemonsets -A -o yaml | draconform driver init -f -`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	flags := cmd.Flags()
	flags.StringVar(&f.name, "name", "", "name of the driver, as in its ResourceSlices (default the only one)")
	addContext(cmd, &f.kubeconfig, &f.context)
	addFiles(cmd, &f.files)
	flags.StringVar(&f.to, "output-file", "", "file to write, which must not exist (default standard output)")
	flags.StringVar(&f.to, "file", "", "file to write")
	_ = flags.MarkDeprecated("file", "use --output-file instead") // It was taken for the file to read.
	_ = cmd.RegisterFlagCompletionFunc("name", f.completeNames)
	_ = cmd.MarkFlagFilename("output-file", "yaml", "yml")
	return cmd
}

func (f *initFlags) run(cmd *cobra.Command) error {
	in, err := f.read(cmd)
	if err != nil {
		return err
	}
	content, err := discover.File(cmd.Context(), in, f.name)
	switch {
	case errors.Is(err, discover.ErrDriver):
		return usageError(err)
	case err != nil:
		return err
	case f.to == "":
		_, err = cmd.OutOrStdout().Write(content)
		return err
	}
	if err := f.write(content); err != nil {
		return err
	}
	fmt.Fprintf(cmd.OutOrStdout(), "%s is written: read its comments, keep what is right, and run \"draconform driver check %s --live\"\n", f.to, f.to)
	return nil
}

// write writes the file. It does not replace one that may have corrections.
func (f *initFlags) write(content []byte) (err error) {
	file, err := os.OpenFile(f.to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, os.ErrExist) {
		return usageError(fmt.Errorf("%s exists and is not replaced, choose another --output-file", f.to))
	}
	if err != nil {
		return usageError(fmt.Errorf("write the driver file: %w", err))
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	_, err = file.Write(content)
	return err
}

func (f *initFlags) read(cmd *cobra.Command) (discover.Input, error) {
	if len(f.files) == 0 {
		client, source, err := connect(cmd, f.kubeconfig, f.context)
		if err != nil {
			return discover.Input{}, err
		}
		return discover.List(cmd.Context(), client, source)
	}
	if f.kubeconfig != "" || f.context != "" {
		return discover.Input{}, usageError(errors.New("--kubeconfig and --context select a cluster, and -f reads files instead"))
	}
	in, err := discover.Read(f.files, cmd.InOrStdin())
	if err != nil {
		return in, usageError(err)
	}
	return in, nil
}

// connect returns a client for the cluster of a context, and a description of
// the cluster for messages. The API server has responded.
func connect(cmd *cobra.Command, kubeconfig, context string) (kubernetes.Interface, string, error) {
	cluster, err := existing.New(kubeconfig, context)
	if err != nil {
		return nil, "", usageError(err)
	}
	if _, err := cluster.Create(cmd.Context()); err != nil {
		return nil, "", err
	}
	config := cluster.KubernetesRestConfig()
	config.QPS, config.Burst = 100, 200 // One review of access per right; the default of 5 a second would take long.
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, "", fmt.Errorf("connect to the cluster of context %q: %w", cluster.GetKubectlContext(), err)
	}
	return client, "context " + cluster.GetKubectlContext(), nil
}

// completeNames completes the names of the drivers in the files or in the
// cluster. Standard input is that of the shell while it completes.
func (f *initFlags) completeNames(cmd *cobra.Command, _ []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if slices.Contains(f.files, state.Stdin) {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	in, err := f.read(cmd)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return discover.Names(in), cobra.ShellCompDirectiveNoFileComp
}
