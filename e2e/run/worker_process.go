// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package run

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"syscall"

	"github.com/draconform/draconform/e2e/suite"
)

// run runs the specs of a share in a process, and calls specsEnded when all have a result.
func (p *workers) run(ctx context.Context, of share, specsEnded func()) error {
	described, err := p.describe(of)
	if err != nil {
		return err
	}
	processCtx, abandon := context.WithCancel(ctx)
	defer abandon()
	cmd := p.Worker(processCtx)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	// The process removes what it has created before it ends.
	cmd.Cancel = func() error { return errors.Join(p.writeEnded(ctx), cmd.Process.Signal(syscall.SIGTERM)) }
	cmd.WaitDelay = cleanupTimeout
	in, inErr := cmd.StdinPipe()
	out, outErr := cmd.StdoutPipe()
	if err := errors.Join(inErr, outErr); err != nil {
		return fmt.Errorf("start a worker: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start a worker: %w", err)
	}
	// Failed writes are ignored: the process has ended, and its error says why.
	_, _ = in.Write(append(described, '\n'))
	if of.queue == nil {
		_ = in.Close()
	}
	answers, remaining := json.NewEncoder(in), len(of.specs)
	err = readResults(out, func(f workerResult) {
		if p.handle(of, f, answers) {
			return
		}
		if remaining--; remaining == 0 {
			specsEnded()
		}
	})
	if err != nil {
		// The process would wait for ever: for an answer, or until its output is read.
		abandon()
		_, _ = io.Copy(io.Discard, out)
	}
	err = errors.Join(err, cmd.Wait())
	// What workers report after they were told to end follows from the reason.
	if err != nil && ctx.Err() == nil {
		return fmt.Errorf("worker %d of the run: %w: %s", of.process, err, bytes.TrimSpace(stderr.Bytes()))
	}
	return nil
}

// describe returns the input of the process of a share, as a line of JSON.
func (p *workers) describe(of share) ([]byte, error) {
	var ids []string
	for _, s := range of.specs {
		ids = append(ids, s.ID)
	}
	kubeconfig, contextName := p.cluster.kubeconfig()
	config := p.Config
	config.Progress, config.Worker = nil, nil
	described, err := json.Marshal(workerInput{
		Config: config, Process: of.process, ID: p.id, Suffix: p.suffix, Dir: p.dir, Kubeconfig: kubeconfig, Context: contextName, Owned: p.cluster.owned(),
		Cluster: p.report.Cluster, Features: p.report.Features, Specs: ids, Asks: of.queue != nil, Node: of.node, KindCluster: p.cluster.kindName(), ControlPlane: of.apart, ClassicProgram: p.classicProgram,
	})
	if err != nil {
		return nil, fmt.Errorf("describe the specs of a worker: %w", err)
	}
	return described, nil
}

// handle handles a line of the worker of a share. It reports whether another line about
// the same spec follows, or the line is about none.
func (p *workers) handle(of share, f workerResult, answers *json.Encoder) (notTheLast bool) {
	takes := of.queue == nil || of.queue.take(of.process, f.ID)
	switch {
	case f.Asks:
		_ = answers.Encode(workerAnswer{takes})
		return takes
	case takes:
		p.record(f)
	}
	return f.Begins || f.Ended != nil
}

// record stores a result that a worker reports, or shows that a spec begins. If a
// component of the worker's control plane has ended, the run ends.
func (p *workers) record(f workerResult) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case f.Ended != nil:
		f.Ended.Elsewhere = true
		p.end(f.Ended)
		return
	case f.Begins:
		p.task.Begin(f.ID)
		return
	}
	p.task.End(f.ID)
	i := slices.IndexFunc(p.specs, func(s suite.Spec) bool { return s.ID == f.ID })
	if i < 0 {
		return
	}
	result := f.of(p.specs[i])
	p.results[f.ID] = result
	if f.Outcome == suite.Skipped && f.Started.IsZero() {
		return // It was not run. There may be many of them.
	}
	p.specFinished(result)
	p.task.Update("%d of %d finished", specCount(len(p.results)), len(p.specs))
	if p.FailFast && result.Fails() {
		p.stop(errFailFast)
	}
}
