// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package controlplane

import "context"

// Program is a program on this machine that uses a control plane, such as the controller
// of a driver.
type Program struct{ running *process }

// StartProgram starts a program, which ends with this process, even if that is killed. Its
// environment is that of this process and env. It appends the output to a file.
func StartProgram(ctx context.Context, name, path string, args, env []string, log string) (*Program, error) {
	started, err := startProcess(ctx, name, path, args, env, log, true, func() {})
	if err != nil {
		return nil, err
	}
	return &Program{started}, nil
}

// Kill ends the program without time to clean up. If it had ended before, Kill returns an
// error with the last lines of its output.
func (p *Program) Kill() error {
	ended := p.running.ended()
	p.running.kill()
	if ended != nil {
		return ended
	}
	return nil
}
