// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"net"
	"net/netip"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/draconform/draconform/e2e/report/evidence"
	"github.com/draconform/draconform/e2e/report/live"
)

func newReportServe() *cobra.Command {
	var server live.Server
	var address string
	cmd := &cobra.Command{
		Use:   "serve DIR",
		Short: "Show a run in a browser while it takes place",
		Long: `Show a run in a browser while it takes place, given its folder, or a folder of runs,
of which the newest is shown: what runs now, what has finished, what failed and why,
and the estimate of the remaining time. When the run has ended, browsers show its page
report.html, and the command ends. With --keep it goes on, and serves the files that
the page links.

Only this machine can connect, unless --address is another one: a run has names and
logs of a cluster. Ctrl-C ends the command, and not the run.

Exit status: 0 if the run has ended, or after Ctrl-C; 1 if the address cannot be
served; 2 if flags, arguments or the folder are invalid.`,
		Example: `  draconform report serve _artifacts
  draconform report serve _artifacts/20260301-120000-0a1f --keep --address 127.0.0.1:8080`,
		Args: oneArg("the folder of a run, or of runs"),
		RunE: func(cmd *cobra.Command, args []string) error { return serveRun(cmd, server, args[0], address) },
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return nil, cobra.ShellCompDirectiveFilterDirs
		},
	}
	cmd.Flags().StringVar(&address, "address", "127.0.0.1:0", "IP address and port to listen on; port 0 is any free one")
	cmd.Flags().BoolVar(&server.Keep, "keep", false, "go on after the run has ended, until Ctrl-C")
	return cmd
}

func serveRun(cmd *cobra.Command, server live.Server, path, address string) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return usageError(fmt.Errorf("--address: %w", err))
	}
	if server.Dir, err = live.Find(path); err != nil {
		return usageError(err)
	}
	out := cmd.OutOrStdout()
	ended := func() {
		fmt.Fprintf(out, "the run has ended, its page is %s; --keep serves it\n", filepath.Join(server.Dir, evidence.PageFile))
	}
	if live.Ended(server.Dir) && !server.Keep {
		ended()
		return nil
	}
	var listen net.ListenConfig
	listener, err := listen.Listen(cmd.Context(), "tcp", address)
	if err != nil {
		return fmt.Errorf("serve the run %s: %w", server.Dir, err)
	}
	until := "until it ends"
	if server.Keep {
		until = "until Ctrl-C"
	}
	fmt.Fprintf(out, "serving %s at http://%s/ %s\n", server.Dir, listener.Addr(), until)
	if !at.Addr().IsLoopback() {
		fmt.Fprintf(cmd.ErrOrStderr(), "warning: everybody who can connect to %s can read the run\n", listener.Addr())
	}
	if err := server.Serve(cmd.Context(), listener); err != nil {
		return err
	}
	if cmd.Context().Err() == nil {
		ended()
	}
	return nil
}
