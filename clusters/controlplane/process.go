// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package controlplane

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"sync/atomic"
	"syscall"
	"time"
)

// process is a running program of this machine.
type process struct {
	name, log string
	cmd       *exec.Cmd
	// done is closed when the program has ended. err is its result then.
	done chan struct{}
	err  error
	// stopped is set before something ends the program.
	stopped atomic.Bool
}

// gracePeriod is the time that a program has to end after SIGTERM.
const gracePeriod = 10 * time.Second

// startProcess starts a program and appends its output to a file. The program has a
// session of its own, so that Ctrl-C in a terminal does not reach it. With guard, the
// program ends with this process. ended is called when the program has ended.
func startProcess(ctx context.Context, name, path string, args, env []string, log string, guard bool, ended func()) (*process, error) {
	out, err := os.OpenFile(log, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", name, err)
	}
	defer func() { _ = out.Close() }()
	// The program ends with [process.kill], not with the context.
	ctx = context.WithoutCancel(ctx)
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Env = append(os.Environ(), env...)
	cmd.Stdout, cmd.Stderr = out, out
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", name, err)
	}
	p := &process{name: name, log: log, cmd: cmd, done: make(chan struct{})}
	release := func() {}
	if guard {
		release, err = guarded(ctx, cmd.Process.Pid)
	}
	go func() {
		p.err = cmd.Wait()
		release()
		close(p.done)
		ended()
	}()
	if err != nil {
		p.kill()
		return nil, fmt.Errorf("start %s: %w", name, err)
	}
	return p, nil
}

// guarded starts a shell that kills a process when this process ends. The shell waits
// for the end of a pipe, which only this process has open. The returned function ends
// the shell.
func guarded(ctx context.Context, pid int) (release func(), err error) {
	r, w, err := os.Pipe()
	if err != nil {
		return func() {}, err
	}
	defer func() { _ = r.Close() }()
	shell := exec.CommandContext(ctx, "/bin/sh", "-c", `read -r _; kill -KILL "$1"`, "sh", fmt.Sprint(pid))
	shell.Stdin = r
	shell.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := shell.Start(); err != nil {
		return func() { _ = w.Close() }, err
	}
	return func() {
		_ = shell.Process.Kill()
		_ = shell.Wait()
		_ = w.Close()
	}, nil
}

// kill ends the program without a grace period.
func (p *process) kill() {
	p.stopped.Store(true)
	_ = p.cmd.Process.Kill() // An error means that it has ended.
	<-p.done
}

// terminate ends the program and gives it time to do so.
func (p *process) terminate(ctx context.Context) {
	p.stopped.Store(true)
	_ = p.cmd.Process.Signal(syscall.SIGTERM)
	ctx, cancel := context.WithTimeout(ctx, gracePeriod)
	defer cancel()
	select {
	case <-p.done:
	case <-ctx.Done():
		p.kill()
	}
}
