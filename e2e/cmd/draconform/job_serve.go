// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"net"
	"path/filepath"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/draconform/draconform/e2e/job"
	"github.com/draconform/draconform/e2e/job/results"
	"github.com/draconform/draconform/e2e/run"
)

// farewell is how long a terminated pod keeps complete results for the client
// that has terminated it.
const farewell = 15 * time.Second

// newJobServe returns the hidden command of the second container of the pod.
func newJobServe() *cobra.Command {
	var dir, id string
	var hold time.Duration
	cmd := &cobra.Command{
		Use: "serve", Hidden: true, Args: noArgs,
		Short: "Serve the results of a run in the same pod until they are fetched",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if _, err := run.ParseID(id); err != nil {
				return usageError(err)
			}
			var listen net.ListenConfig
			listener, err := listen.Listen(cmd.Context(), "tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(results.Port)))
			if err != nil {
				return fmt.Errorf("serve the results: %w", err)
			}
			server := results.Server{Dir: dir, Folder: filepath.Join(dir, id), Hold: hold, Farewell: farewell}
			return server.Serve(cmd.Context(), listener)
		},
	}
	cmd.Flags().StringVar(&dir, "results-dir", "", "directory for results of the run")
	cmd.Flags().StringVar(&id, "run-id", "", "id of the run")
	cmd.Flags().DurationVar(&hold, "hold", job.DefaultHold, "how long complete results are kept")
	return cmd
}
