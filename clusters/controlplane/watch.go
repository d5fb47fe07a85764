// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package controlplane

import (
	"context"
	"errors"
	"sync"
	"time"
)

// settleTime is how long [Provider.Watch] waits for the end of further components, so that
// it reports the one that others cannot work without.
const settleTime = 200 * time.Millisecond

// fundamental are the components in an order in which each works without those after it.
var fundamental = []string{etcd, kubeAPIServer, kubeControllerManager, kubeScheduler}

// Watch calls ended, once, when a component has ended although nothing has ended it. If
// several have, it reports the one that the others cannot work without. The returned
// function stops the watch and waits until ended has returned. Only one watch may take
// place at a time. It may take place during all other methods.
func (p *Provider) Watch(ctx context.Context, ended func(*EndedError)) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var watch sync.WaitGroup
	watch.Go(func() {
		for p.FirstEnded() == nil {
			select {
			case <-ctx.Done():
				return
			case <-p.ends:
			}
		}
		settled := time.NewTimer(settleTime)
		defer settled.Stop()
		select {
		case <-ctx.Done():
			return
		case <-settled.C:
		}
		// Meanwhile, a component may have been ended on purpose.
		if first := p.FirstEnded(); first != nil {
			ended(first)
		}
	})
	return func() {
		cancel()
		watch.Wait()
	}
}

// Ended returns an error with the last lines of the logs of components that have ended,
// although nothing has ended them.
func (p *Provider) Ended() error {
	var all []error
	for _, ended := range p.allEnded() {
		all = append(all, ended)
	}
	return errors.Join(all...)
}

// FirstEnded returns the component that has ended, although nothing has ended it. Of
// several it returns the one that the others cannot work without. It returns nil if there
// is none.
func (p *Provider) FirstEnded() *EndedError {
	if all := p.allEnded(); len(all) > 0 {
		return all[0]
	}
	return nil
}

func (p *Provider) allEnded() []*EndedError {
	p.mu.Lock()
	defer p.mu.Unlock()
	var all []*EndedError
	for _, name := range fundamental {
		if running, ok := p.running[name]; ok {
			if ended := running.endedByItself(); ended != nil {
				all = append(all, ended)
			}
		}
	}
	return all
}

// processEnded wakes the watch up.
func (p *Provider) processEnded() {
	select {
	case p.ends <- struct{}{}:
	default: // It is about to look.
	}
}
