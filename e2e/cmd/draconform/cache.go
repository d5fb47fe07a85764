// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/draconform/draconform/clusters/nodeimage"
)

func newCache() *cobra.Command {
	var dir string
	cmd := &cobra.Command{
		Use:   "cache",
		Short: "List, save, load and remove the finished stages of node images",
		Long: `List, save, load and remove the finished stages of node images. Without a
registry, building a node image takes minutes. Its stages are stored in the user's
cache folder under a hash of their inputs.

CI systems save the layers of node images between runs and load them into new
machines, so that node images need not be built again.`,
		Args: noArgs,
		RunE: printHelp,
	}
	cmd.PersistentFlags().StringVar(&dir, "cache", "", "folder of finished stages (default draconform/node-image in the user's cache)")
	cmd.AddCommand(newCacheList(&dir), newCacheSave(&dir), newCacheLoad(&dir), newCachePrune(&dir))
	return cmd
}

func newCacheList(dir *string) *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the finished stages and the releases of their node images",
		Example: `  draconform cache list
  draconform cache list -o json`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			all, err := nodeimage.ListStored(*dir)
			if err != nil {
				return err
			}
			if done, err := printStructured(cmd, output, all); done {
				return err
			}
			w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
			fmt.Fprintln(w, "STAGE\tSIZE\tFINISHED\tNODE IMAGE OF")
			for _, s := range all {
				fmt.Fprintf(w, "%s\t%d MB\t%s\t%s\n", s.Name, s.Bytes/1e6, s.Finished.Format(time.DateTime), s.Release)
			}
			return w.Flush()
		},
	}
	addOutput(cmd, &output)
	return cmd
}

func newCacheSave(dir *string) *cobra.Command {
	return &cobra.Command{
		Use:   "save FILE",
		Short: "Save the layers of node images into a file, - for standard output",
		Example: `  draconform cache save node-image.tar.zst
  draconform cache save - > node-image.tar.zst`,
		Args: oneArg("the file to write"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if args[0] == "-" {
				_, err := nodeimage.Save(cmd.Context(), *dir, cmd.OutOrStdout())
				return err
			}
			saved, err := saveCache(cmd, *dir, args[0])
			if err != nil {
				return err
			}
			for _, name := range saved {
				fmt.Fprintln(cmd.OutOrStdout(), "saved", name)
			}
			if len(saved) == 0 {
				fmt.Fprintln(cmd.OutOrStdout(), "saved nothing: no node image of this version has been built")
			}
			return nil
		},
	}
}

// saveCache creates the file only if it is complete.
func saveCache(cmd *cobra.Command, dir, path string) (saved []string, err error) {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*.partial")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.Remove(f.Name()) }()
	if saved, err = nodeimage.Save(cmd.Context(), dir, f); err != nil {
		_ = f.Close()
		return nil, err
	}
	if err := f.Close(); err != nil {
		return nil, err
	}
	if len(saved) == 0 {
		return nil, nil // Do not overwrite an existing archive.
	}
	return saved, os.Rename(f.Name(), path)
}

func newCacheLoad(dir *string) *cobra.Command {
	return &cobra.Command{
		Use:   "load FILE",
		Short: "Load an archive that save wrote, - for standard input",
		Example: `  draconform cache load node-image.tar.zst
  draconform cache load - < node-image.tar.zst`,
		Args: oneArg("the file to read"),
		RunE: func(cmd *cobra.Command, args []string) error {
			from := cmd.InOrStdin()
			if args[0] != "-" {
				f, err := os.Open(args[0])
				if err != nil {
					return err
				}
				defer func() { _ = f.Close() }()
				from = f
			}
			loaded, err := nodeimage.Load(cmd.Context(), *dir, from)
			if err != nil {
				return err
			}
			for _, name := range loaded {
				fmt.Fprintln(cmd.OutOrStdout(), "loaded", name)
			}
			if len(loaded) == 0 {
				fmt.Fprintln(cmd.OutOrStdout(), "loaded nothing: the archive has no new stages for this version")
			}
			return nil
		},
	}
}

func newCachePrune(dir *string) *cobra.Command {
	return &cobra.Command{
		Use:   "prune",
		Short: "Remove the stages that node images of this version do not need",
		Long: `Remove the stages that node images of this version of draconform do not need:
the layers of other versions, and the stages from which layers were built.`,
		Example: `  draconform cache prune`,
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			removed, err := nodeimage.Prune(*dir)
			for _, s := range removed {
				fmt.Fprintf(cmd.OutOrStdout(), "removed %s, %d MB\n", s.Name, s.Bytes/1e6)
			}
			return err
		},
	}
}
