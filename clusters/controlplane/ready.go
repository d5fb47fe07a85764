// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package controlplane

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
)

// loopback is the only address that the components listen on.
const loopback = "127.0.0.1"

// pollInterval is the interval of readiness checks.
const pollInterval = 50 * time.Millisecond

// freePorts returns distinct ports of the loopback address that nothing listens on.
func freePorts(ctx context.Context, n int) (ports []int, err error) {
	for range n {
		// All listeners stay open until the last port is known, so that the ports
		// are distinct.
		l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", net.JoinHostPort(loopback, "0"))
		if err != nil {
			return nil, fmt.Errorf("find a free port: %w", err)
		}
		defer func() { _ = l.Close() }()
		ports = append(ports, l.Addr().(*net.TCPAddr).Port)
	}
	return ports, nil
}

// waitUntil waits until a check of a component succeeds. It returns an error if one of
// the processes ends first.
func waitUntil(ctx context.Context, what string, processes []*process, check func(context.Context) error) error {
	last := errors.New("it was not checked in time")
	err := wait.PollUntilContextCancel(ctx, pollInterval, true, func(ctx context.Context) (bool, error) {
		for _, p := range processes {
			if ended := p.ended(); ended != nil {
				return false, ended
			}
		}
		err := check(ctx)
		if ctx.Err() == nil && err != nil {
			last = err
		}
		return err == nil, nil
	})
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return fmt.Errorf("wait until %s: %w: %w", what, context.Cause(ctx), last)
	}
	return fmt.Errorf("wait until %s: %w", what, err)
}

// listens returns an error unless something accepts connections on a port.
func listens(ctx context.Context, port int) error {
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", address(port))
	if err != nil {
		return err
	}
	return conn.Close()
}

func address(port int) string { return net.JoinHostPort(loopback, fmt.Sprint(port)) }
