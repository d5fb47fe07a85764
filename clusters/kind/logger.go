package kind

import (
	"fmt"

	"sigs.k8s.io/kind/pkg/log"
)

// stageLogger shows what kind says as what a stage is doing.
type stageLogger struct {
	update func(format string, args ...any) // the stage's
}

var _ log.Logger = &stageLogger{}

// Warn, which kind uses for what it is going to cope with, is shown as well.
func (l *stageLogger) Warn(message string)               { l.update("%s", firstWords(message)) }
func (l *stageLogger) Warnf(format string, args ...any)  { l.Warn(fmt.Sprintf(format, args...)) }
func (l *stageLogger) Error(message string)              { l.Warn(message) }
func (l *stageLogger) Errorf(format string, args ...any) { l.Warn(fmt.Sprintf(format, args...)) }

func (l *stageLogger) V(level log.Level) log.InfoLogger {
	return infoLogger{l, level == 0}
}

type infoLogger struct {
	logger  *stageLogger
	enabled bool
}

func (l infoLogger) Enabled() bool { return l.enabled }

func (l infoLogger) Info(message string) {
	if l.enabled {
		l.logger.Warn(message)
	}
}

func (l infoLogger) Infof(format string, args ...any) { l.Info(fmt.Sprintf(format, args...)) }
