// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Command nodeagent calls DRA drivers on its node as the kubelet does, on behalf
// of a run.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/draconform/draconform/e2e/nodeagent/agent"
	"github.com/draconform/draconform/e2e/nodeagent/api"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer stop()
	switch err := run(ctx, os.Args[1:], os.Stderr); {
	case errors.Is(err, flag.ErrHelp):
	case err != nil:
		fmt.Fprintf(os.Stderr, "nodeagent: %v\n", err)
		os.Exit(1)
	}
}

// run serves requests until the context is done.
func run(ctx context.Context, args []string, usage io.Writer) error {
	config, address, err := parse(args, usage)
	if err != nil {
		return err
	}
	handler, err := agent.Handler(config)
	if err != nil {
		return err
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", address)
	if err != nil {
		return fmt.Errorf("listen for requests: %w", err)
	}
	server := &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout:       30 * time.Second,
		WriteTimeout:      api.RequestTimeout + 30*time.Second,
		MaxHeaderBytes:    16 << 10,
		BaseContext:       func(net.Listener) context.Context { return ctx },
	}
	stop := context.AfterFunc(ctx, func() { _ = server.Close() })
	defer stop()
	err = server.Serve(listener)
	if errors.Is(err, http.ErrServerClosed) {
		err = nil
	}
	if err != nil {
		err = fmt.Errorf("serve requests: %w", err)
	}
	return errors.Join(err, config.RestoreHidden())
}

// parse returns the configuration and the address in the arguments.
func parse(args []string, usage io.Writer) (agent.Config, string, error) {
	config := agent.Config{CDIDirs: []string{agent.DynamicCDIDir, agent.StaticCDIDir}}
	flags := flag.NewFlagSet("nodeagent", flag.ContinueOnError)
	flags.SetOutput(usage)
	flags.Func("driver", "name of a driver that may be called; can be repeated", func(driver string) error {
		config.Drivers = append(config.Drivers, driver)
		return nil
	})
	flags.StringVar(&config.KubeletDir, "kubelet-dir", agent.KubeletDir, "root directory of the kubelet, at the same path as on the node")
	address := flags.String("address", ":"+strconv.Itoa(api.Port), "TCP address for requests")
	tokenFile := flags.String("token-file", "", "file with the token that requests need")
	if err := flags.Parse(args); err != nil {
		return config, "", err
	}
	if flags.NArg() > 0 {
		return config, "", fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	token, err := os.ReadFile(*tokenFile)
	if err != nil {
		return config, "", fmt.Errorf("read the token: %w", err)
	}
	config.Token = strings.TrimSpace(string(token))
	return config, *address, nil
}
